// Made by "npm run openapi" from GET /api/v1/openapi.json; not to be edited.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is alive */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the node is ready: all changes applied, all listeners open */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the nodes with their state, lag and version
         * @description Each node is asked for its state. One that does not respond is "unreachable"
         * after 3 seconds.
         */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics of this node
         * @description In the text format of Prometheus, or as OpenMetrics if Accept requests it.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with a password and get a token
         * @description The token has all scopes that the role allows, and stays valid until it is
         * revoked. For programs, create a token with fewer scopes with POST /api/v1/tokens instead.
         * An Idempotency-Key has no effect here.
         */
        post: operations["exchangeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tokens of the account */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description The new token cannot have more scopes or a later expiry than the token of
         * this request. Omitted `scopes` and `expires_at` are copied from it. The scopes are also
         * limited by the role of the account. With `domains`, the token gives access to these
         * domains only: not to the account, its tokens or its audit log. It cannot create domains.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description The token is invalid as soon as the response is sent.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the dashboard session of the request */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in to the dashboard
         * @description Sets a cookie that no script can read. The session ends at `expires_at`,
         * which each use moves on, up to `admin.session_lifetime` after the sign-in. The session
         * that the request comes with ends. An account with a second factor also needs `code`:
         * without it, the response is 401 `code_required`. An Idempotency-Key has no effect here.
         */
        post: operations["signIn"];
        /** Sign out: end the dashboard session of the request */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a challenge to sign in with a passkey
         * @description Pass `options` to navigator.credentials.get. The challenge works once,
         * within 10 minutes.
         */
        get: operations["getPasskeySignInOptions"];
        put?: never;
        /**
         * Sign in to the dashboard with a passkey
         * @description As POST /api/v1/session, without a password and a code: the authenticator
         * has verified its user. The fields are those of the PublicKeyCredential that
         * navigator.credentials.get returned.
         */
        post: operations["signInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the dashboard sessions of the account */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** End all dashboard sessions of the account except that of the request */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a dashboard session of the account
         * @description The session is invalid on every node as soon as the response is sent.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tsig-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the TSIG keys of the account */
        get: operations["listTsigKeys"];
        put?: never;
        /**
         * Create a TSIG key
         * @description Secondaries sign transfer requests (AXFR, IXFR) with the key, and clients
         * sign dynamic updates (RFC 8945, RFC 2136). The key cannot have more scopes than the token
         * of this request. The key of an administrator can read the zones of all accounts.
         */
        post: operations["createTsigKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tsig-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a TSIG key
         * @description The key is invalid as soon as the response is sent.
         */
        delete: operations["deleteTsigKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the account of the token and its usage */
        get: operations["getOwnAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the own e-mail address */
        patch: operations["updateOwnAccount"];
        trace?: never;
    };
    "/api/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all accounts */
        get: operations["listAccounts"];
        put?: never;
        /** Create an account */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an account */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Delete an account, its tokens and its sessions
         * @description Delete its domains first: GET /api/v1/domains?account=ID lists them.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        /**
         * Change an account
         * @description Omitted fields keep their values. If `api_enabled` is false, the tokens of
         * the account are rejected from the next request on. Tokens stay valid when the password
         * changes. A new password ends the dashboard sessions of the account. The own password and
         * e-mail address are changed with the current password instead: PUT
         * /api/v1/account/password and PATCH /api/v1/account. With `revoke_tokens`, it also revokes
         * all tokens of the account, except the token of this request. TSIG keys stay valid.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/api/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the plans of the configuration */
        get: operations["listPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{account_id}/second-factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get which second factors an account has */
        get: operations["getSecondFactors"];
        put?: never;
        post?: never;
        /**
         * Remove all second factors of an account
         * @description For a user who has lost them: removes one-time codes, recovery codes and
         * passkeys. The password is enough to sign in then. Not for the own account, whose factors
         * need its password.
         */
        delete: operations["removeSecondFactors"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the own password
         * @description Ends all dashboard sessions of the account, except that of the request.
         * Tokens stay valid, unless `revoke_tokens` is true; the token of the request always does.
         * TSIG keys stay valid.
         */
        put: operations["changeOwnPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get whether the own account has one-time codes */
        get: operations["getTotp"];
        put?: never;
        /**
         * Make a secret for one-time codes
         * @description Sign-in does not need codes until POST /api/v1/account/totp/confirm, within
         * an hour. An Idempotency-Key has no effect here.
         */
        post: operations["beginTotp"];
        /** Turn off one-time codes */
        delete: operations["disableTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn on one-time codes with a first code
         * @description From now on, sign-in and token exchange need a code. Sessions and tokens
         * stay valid. An Idempotency-Key has no effect here.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/totp/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the recovery codes
         * @description The earlier ones work no more. An Idempotency-Key has no effect here.
         */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the own passkeys */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Add a passkey
         * @description The fields are those of the PublicKeyCredential that
         * navigator.credentials.create returned for a challenge of POST
         * /api/v1/account/passkeys/options.
         */
        post: operations["createPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge to create a passkey
         * @description Pass `options` to navigator.credentials.create. The challenge works once,
         * within 10 minutes. An Idempotency-Key has no effect here.
         */
        post: operations["getPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a passkey */
        delete: operations["deletePasskey"];
        options?: never;
        head?: never;
        /** Rename a passkey */
        patch: operations["renamePasskey"];
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log, newest entries first
         * @description Only entries of the own account; administrators see all accounts.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/changes/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the nodes that serve a change
         * @description The sequence number is the X-Waypost-Revision of a write.
         */
        get: operations["getChange"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Receive changes as server-sent events
         * @description Each event `change` has `{"seq", "kind", "id"}`: the sequence number of the
         * change, the kind of the object (`domain`, `records`, `proxy`, `certificate`, `purge`,
         * `dnssec`, `delegation`, `account`, `token`, `session`, `tsig_key`, `webhook`, `app`,
         * `upload`), and its id; for parts of a domain, that of the domain. Only changes of the own
         * account whose scope the token has, and of its domains if it is restricted to some; an
         * administrator whose token has the scope `account` receives those of all accounts. With
         * the header `Last-Event-ID`, the stream continues after that change. The event `reload`
         * says that changes were missed: read everything again. Comments keep the connection open.
         * The stream ends when its token or session ends.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List domains */
        get: operations["listDomains"];
        put?: never;
        /**
         * Create a domain
         * @description The limit on domains is that of the account which gets the domain.
         */
        post: operations["createDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a domain */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Delete a domain with all its records
         * @description A signed domain whose parent zone has a DS record is not deleted: disable
         * DNSSEC first, or set force.
         */
        delete: operations["deleteDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/primaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the primaries of a secondary zone
         * @description The new primaries are asked at once.
         */
        put: operations["replacePrimaries"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the primaries of a secondary zone now
         * @description Waits for the transfer. If it fails, `secondary.error` of the response has
         * the reason.
         */
        post: operations["transferZone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/delegation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the delegation of a domain, as it was last seen
         * @description The parent zones of all domains are asked in the background.
         */
        get: operations["getDelegation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/delegation/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the parent zone now
         * @description Asks every nameserver of the parent zone. An account may check 30 times a
         * minute.
         */
        post: operations["checkDelegation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List records */
        get: operations["listRecords"];
        put?: never;
        /** Create a record */
        post: operations["createRecord"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/records/{record_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a record
         * @description The id does not change. `ttl` and `proxied` keep their values when they are
         * omitted.
         */
        put: operations["replaceRecord"];
        post?: never;
        /** Delete a record */
        delete: operations["deleteRecord"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/records/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change many records in one batch
         * @description All changes are made in one revision, or none. Deletions and replacements
         * are applied first, so the order within a batch does not matter. `dry_run=true` makes no
         * change and lists every fault of every entry.
         */
        post: operations["changeRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/zonefile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export the domain as a zone file (RFC 1035 section 5) */
        get: operations["exportZone"];
        /**
         * Replace all records with those of a zone file
         * @description Everything that Knot, NSD and BIND load is imported; `warnings` lists
         * questionable records. DNSSEC records and owners outside of the zone are dropped, with a
         * warning. `$GENERATE` is expanded, `$INCLUDE` is rejected. `dry_run=true` makes no change,
         * and compares the file with the zone.
         */
        put: operations["importZone"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a domain with the values before and after, newest first
         * @description Changes of records, their comments, proxy and DNSSEC; the values of the
         * proxy need the scope `proxy:read` too. A page with long values or of a search may have
         * fewer items than `limit`. At least the last 1,000 changes are stored, unless their values
         * are larger than 4 MB. `begin` is the earliest change after which the state can be
         * restored; the audit log reaches further, without values.
         */
        get: operations["listHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/history/{seq}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore the records and their comments to their state after an earlier change, in one
         * batch
         * @description With `dry_run`, nothing is changed; the response shows what would change,
         * and its ETag makes the restore conditional on that. Deleted records return with new ids.
         * Records at the apex that an import has set, and those of DNSSEC, are not restored. 409
         * `history_incomplete` says from which change on the domain can be restored.
         */
        post: operations["restoreRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/dnssec": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the DNSSEC state of a domain: its keys, the DS records to set, and what the parent
         * zone has
         */
        get: operations["getDnssec"];
        /**
         * Sign the zone, or stop signing it
         * @description Signing begins at once; then the DS record of the response must be set at
         * the registrar. To stop, remove the DS records at the registrar first: the zone stays
         * signed until no cache has one. While the parent zone has a DS record, stopping is
         * refused, except with "force": then CDS records ask the parent to remove it, and the zone
         * stays signed until it is gone. Without a DS record, or if the parent cannot be asked,
         * "force" stops signing at once.
         */
        put: operations["setDnssec"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/dnssec/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the nameservers of the parent zone for the DS records now */
        post: operations["checkDnssec"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/dnssec/resign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign all names of a zone again, with times by the present clock
         * @description Signatures are replaced in time without this request. It is for a zone whose
         * signatures have wrong times, as after a wrong clock. Signatures that would be the same
         * stay.
         */
        post: operations["resignDnssec"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/dnssec/rollover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the key of the zone
         * @description The new key is published first. When the state is "rolling_ds", replace the
         * DS record at the registrar; the rest needs no action.
         */
        post: operations["startDnssecRollover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/dnssec/rollover/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a rollover, as long as the new key does not sign the zone */
        post: operations["cancelDnssecRollover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/dnssec/foreign-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the keys of other providers among the DNSKEY records */
        get: operations["listForeignKeys"];
        put?: never;
        /**
         * Add the key of another provider to the DNSKEY records
         * @description For zones that two providers sign, each with its own key, such as while the
         * domain moves (RFC 8901, model 2).
         */
        post: operations["addForeignKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/dnssec/foreign-keys/{foreign_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete the key of another provider */
        delete: operations["deleteForeignKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/certificates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the certificates of the domains whose proxy is on
         * @description Only domains of the own account. A page may have fewer items than `limit`,
         * or none, although more follow.
         */
        get: operations["listCertificates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proxy of a domain: its state, origin, certificate, and names that reveal the
         * origin
         */
        get: operations["getProxy"];
        /**
         * Set the origin: the web server behind the proxy
         * @description The origin is a public address, or a host name whose addresses are all
         * public. It serves the apex and all proxied names, except names whose own records lead to
         * another server. If the apex has no A, AAAA or ALIAS record, it resolves to the origin.
         * The request can also set HSTS. It does not turn the proxy on or off.
         */
        put: operations["setProxyOrigin"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change settings of the proxy other than the origin: HSTS and heuristic freshness */
        patch: operations["updateProxy"];
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/toggle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn the proxy on or off
         * @description When the response is sent, the proxied names resolve to the addresses of the
         * proxy, or to their own records again. For ten minutes after the proxy is turned off,
         * visitors with the old addresses are still served. Without a configured origin, each
         * proxied name is served from the public addresses of its own records. An origin that
         * cannot be used is no error: it is reported in proxy.warnings.
         */
        post: operations["toggleProxy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload your own certificate
         * @description Send a chain, leaf first, and its key: RSA with 2048 to 4096 bits, or ECDSA
         * P-256 or P-384. The certificate is served until it is replaced or deleted. The key is
         * stored encrypted and never shown.
         */
        put: operations["setCertificate"];
        /** Order a new certificate now */
        post: operations["orderCertificate"];
        /** Replace your own certificate with an automatic one */
        delete: operations["deleteCertificate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Purge the cache of the domain on every node
         * @description Purges everything, or only the entries in the lists. A prefix matches both
         * schemes, the path, and all paths below it.
         */
        post: operations["purgeCache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/error-pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the error pages of a domain */
        get: operations["getErrorPages"];
        /**
         * Replace the error pages of a domain
         * @description Pages that visitors see instead of those of the edge, when the edge itself
         * responds with a status from 400 to 599. Responses of the origin are not replaced, and
         * programs that prefer JSON or text get these. Placeholders are `{{status}}`, `{{title}}`,
         * `{{reason}}`, `{{code}}`, `{{request_id}}`, `{{host}}`, `{{time}}`; their values are
         * escaped. A page runs no scripts, sends no forms and loads nothing from other hosts.
         */
        put: operations["setErrorPages"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/error-pages/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the error pages of a domain, newest first
         * @description The current version, and of the earlier ones the last 20; fewer if they are
         * larger than 512 KiB together. The previous version is always there.
         */
        get: operations["listErrorPagesVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/error-pages/versions/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of the error pages of a domain */
        get: operations["getErrorPagesVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/error-pages/versions/{revision}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of the error pages of a domain
         * @description The version is checked and written as a new one, so that a restore can be
         * undone.
         */
        post: operations["restoreErrorPages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/error-pages/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview an error page
         * @description The response is the page with sample values in place of its placeholders. It
         * runs no scripts and loads nothing, also no pictures of the site. Nothing is stored.
         */
        get: operations["previewErrorPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/protection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the protection of a domain */
        get: operations["getProtection"];
        /**
         * Replace the protection of a domain
         * @description Limits of the sites of a domain on each node, budgets for slow clients, the
         * challenge for visitors, and the demands on TLS. A field that is omitted gets its default.
         * A changed minimum version or list of authorities holds for new requests at once: those
         * over older connections get 421.
         */
        put: operations["setProtection"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/protection/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the protection of a domain, newest first
         * @description The current version, and of the earlier ones the last 20; fewer if they are
         * larger than 512 KiB together. The previous version is always there.
         */
        get: operations["listProtectionVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/protection/versions/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of the protection of a domain */
        get: operations["getProtectionVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/protection/versions/{revision}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of the protection of a domain
         * @description The version is checked and written as a new one, so that a restore can be
         * undone.
         */
        post: operations["restoreProtection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/origins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the origins of names and paths of a domain */
        get: operations["getOrigins"];
        /**
         * Replace the origins of names and paths of a domain
         * @description Each entry sends the requests for a name and path to a pool of origins.
         * Requests that no entry matches go to the origin of the proxy. Host names are not resolved
         * now: the edge checks every address when it connects. An empty list removes all entries.
         */
        put: operations["setOrigins"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/origins/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the health of the origins of names and paths
         * @description One node of each region checks the origins. A changed state is on all nodes
         * within a second.
         */
        get: operations["getOriginsHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the delivery of request logs of a domain */
        get: operations["getLogs"];
        /**
         * Replace the delivery of request logs of a domain
         * @description Requests to the sites of the domain are delivered as lines of JSON, in
         * batches with gzip, to an HTTPS endpoint or to a bucket. A POST has `webhook-id` and
         * `webhook-timestamp`, and with a signing secret `webhook-signature` as Standard Webhooks
         * specifies, over the compressed body. `waypost-lines` and `waypost-dropped` are the
         * numbers of lines in the batch and of those dropped since the last one. Each node delivers
         * its own requests. A failed batch is retried for 15 minutes; lines wait in limited memory,
         * and those that are dropped are counted. Secrets are stored encrypted and never shown;
         * those that are omitted stay.
         */
        put: operations["setLogs"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/logs/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the delivery of request logs on each node
         * @description Counts begin when a node starts.
         */
        get: operations["getLogsState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/logs/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a line to the receiver of request logs now
         * @description The line is `{"test": true, "time", "domain_id"}`. The node that receives
         * the request sends it.
         */
        post: operations["testLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the rules of a domain */
        get: operations["getRules"];
        /**
         * Replace the rules of a domain
         * @description Rules run for each request of the sites of the domain, from first to last. A
         * rule whose match holds does its action: one that changes something lets the next rule
         * follow, one that decides (allow, deny, redirect, error_page, maintenance, and limit,
         * basic_auth or challenge if the request does not pass) stops. Passwords are stored as
         * hashes and never returned; a user without a password keeps the stored one.
         */
        put: operations["setRules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/rules/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the rules of a domain, newest first
         * @description The current version, and of the earlier ones the last 20; fewer if they are
         * larger than 512 KiB together. The previous version is always there.
         */
        get: operations["listRulesVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/rules/versions/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of the rules of a domain */
        get: operations["getRulesVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/rules/versions/{revision}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of the rules of a domain
         * @description The version is checked and written as a new one, so that a restore can be
         * undone.
         */
        post: operations["restoreRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/rules/counters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how often the rules of a domain have matched
         * @description Requests that each rule has matched and stopped since the rules were last
         * changed: counts of all nodes, added up when requested. A node that does not answer in 2
         * seconds, or has another revision of the rules, is listed as missing. Counts are up to two
         * seconds old, and a restart of a node resets its own.
         */
        get: operations["getRuleCounters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/proxy/rules/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get rules that many sites need, for this domain */
        get: operations["getRuleTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/requests/tail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch the requests of a domain as server-sent events
         * @description Each event `requests` has `{"node", "omitted", "requests"}`: requests that
         * the edge of a node has answered since the last event, and how many more there were. At
         * most 50 requests are sent in a second, chosen at random. A request has `time`, `client`,
         * `scheme`, `host`, `method`, `path` (without the query), `version`, `status`, `bytes` of
         * the body, `ms`, `cache` (as in the access log) and `user_agent` (null without one).
         * Nothing is stored: the stream begins now and cannot be resumed. Comments keep the
         * connection open. The stream ends when its token or session ends, or when the domain is
         * deleted.
         */
        get: operations["tailRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/domains/{domain_id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statistics of a domain
         * @description Counts of all nodes, added up when requested; a node that does not answer in
         * 2 seconds is listed as missing. DNS queries are sampled, requests are counted exactly.
         * Counts are kept for 31 days.
         */
        get: operations["getDomainStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statistics of all domains of an account
         * @description Counts of all nodes, added up when requested; a node that does not answer in
         * 2 seconds is listed as missing. DNS queries are sampled, requests are counted exactly.
         * Counts are kept for 31 days.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhooks of the account */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Each event is sent to the URL as a POST, signed as Standard Webhooks
         * specifies: the header `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over
         * `webhook-id`, `webhook-timestamp` and the body, joined by dots. The response has the
         * secret; no later one does. Without `events`, all types are sent. Every status from 200 to
         * 299 within 10 seconds counts as delivered; others are retried for days. An event may be
         * sent more than once, with the same `webhook-id`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook and its deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Omitted fields are unchanged. A webhook that is enabled again receives what
         * changes from then on, and the deliveries that were waiting.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a webhook
         * @description Queues the event `webhook.test`, and returns its delivery.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description For 24 hours, messages have a signature by the previous secret as well.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries of a webhook, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a delivery */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description With the same `webhook-id` and body, and a new timestamp and signature.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the deliveries since a time again
         * @description The failed ones, or with `"state": "all"` the delivered ones too; the oldest
         * 1,000 of them.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/apps/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a package
         * @description The package is audited at once. The response waits some seconds for the
         * verdict. If the audit takes longer, "status" is "pending" or "scanning", and "url" is the
         * path for polling. An app belongs to the account that uploads its first package.
         */
        post: operations["uploadPackage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the apps of the account */
        get: operations["listApps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/apps/{app_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an app and its packages */
        get: operations["getApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/uploads/{upload_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a package and all findings
         * @description The response is text for people if Accept requests text/plain.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * Withdraw a package
         * @description The package is no longer audited, reviewed or published. Its versionCode
         * cannot be used again.
         */
        delete: operations["withdrawUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/uploads/{upload_id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish an approved package
         * @description The package replaces the published one. If the service publishes
         * automatically, this is not needed.
         */
        post: operations["publishUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the packages that wait for a review */
        get: operations["listReviewQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/uploads/{upload_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a package of any account and all findings
         * @description The response is text for people if Accept requests text/plain.
         */
        get: operations["getAnyUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/uploads/{upload_id}/package": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the archive of a package */
        get: operations["downloadPackage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/uploads/{upload_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a package that is in review or suspended */
        post: operations["approveUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/uploads/{upload_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reject a package that is in review or approved */
        post: operations["rejectUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/uploads/{upload_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suspend a package that is approved or published */
        post: operations["suspendUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/apps/{app_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suspend an app with its published, approved and future packages */
        post: operations["suspendApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/admin/apps/{app_id}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the suspension of an app
         * @description Its packages stay suspended until each of them is approved.
         */
        post: operations["reinstateApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/store/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the published apps */
        get: operations["listStoreApps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/store/apps/{app_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a published app */
        get: operations["getStoreApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/store/apps/{app_id}/icon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the icon of a published app */
        get: operations["downloadStoreIcon"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/store/apps/{app_id}/package": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the package of a published app
         * @description The ETag is the SHA-256 of the package. X-Waypost-Signature has a signature
         * of each key that signs, as KEY_ID=SIGNATURE. A single Range is supported, with If-Range.
         */
        get: operations["downloadStorePackage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/store/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that sign packages
         * @description A client that knows an earlier key follows the endorsements to the current
         * one.
         */
        get: operations["listStoreKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/store/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new store key
         * @description The previous key endorses the new one, and also signs until the overlap
         * ends. Packages need no new upload.
         */
        post: operations["rotateStoreKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/store/keys/{store_key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a store key, for example because it leaked
         * @description The key signs nothing any more, its endorsements are no longer shown, and
         * its private key is deleted. If it is the current key, a new one without an endorsement
         * replaces it: clients must get that key with an update of the host.
         */
        post: operations["revokeStoreKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/sdk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the issued SDKs
         * @description A package contains host-sdk.js of one of them, unchanged. Versions that are
         * not withdrawn are accepted.
         */
        get: operations["listSdks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/sdk/{version}/host-sdk.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download host-sdk.js of an issued SDK */
        get: operations["downloadSdk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/sdk/{version}/host-sdk.d.ts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the types of an issued SDK for TypeScript */
        get: operations["downloadSdkTypings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/sdk/{version}/background.d.ts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the types of background files for TypeScript */
        get: operations["downloadBackgroundTypings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit rules
         * @description The response is an HTML page if Accept requests text/html first, as browsers
         * do. The "url" of a finding links to its rule on this page.
         */
        get: operations["listRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dev/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sandbox policy
         * @description Every host applies the policy to apps.
         */
        get: operations["getSandboxPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            /** @description the id of the account */
            id: number;
            username: string;
            /** @description its e-mail address, also accepted as the login */
            email: string | null;
            /**
             * @description one of "admin", "user", "viewer"
             * @enum {string}
             */
            role: "admin" | "user" | "viewer";
            plan: string;
            /** @description whether its tokens are accepted */
            api_enabled: boolean;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
        };
        /**
         * @description The state of the target of an ALIAS; only in lists, and only for ALIAS
         * records.
         */
        Alias: {
            /**
             * @description "stale": the lookup fails and the last good addresses are served;
             * "failed": there are no addresses and the answer is SERVFAIL
             * @enum {string}
             */
            status: "pending" | "resolved" | "empty" | "stale" | "failed";
            /** @description the addresses in A and AAAA answers */
            addresses: string[];
            /** @description when the target was last looked up; null: never */
            checked_at: string | null;
            /** @description what failed or was omitted; null: nothing */
            error: string | null;
        };
        App: {
            /** @description the id of the app */
            app_id: string;
            /** @description the name of the app */
            name: string | null;
            /**
             * @description the state of the package
             * @enum {string}
             */
            audit_status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
            /** @description the number of findings, or null while there is no verdict */
            summary: components["schemas"]["AuditSummary"] | null;
            latest: components["schemas"]["UploadBrief"];
            /** @description the package that is published, or null */
            published: components["schemas"]["PublishedPackage"] | null;
            /** @description the reason for the suspension of the app, or null */
            suspended: string | null;
            /** @description when its first package was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /**
             * @description when the app or a package of it last changed, as YYYY-MM-DD HH:MM:SS in
             * UTC
             */
            updated_at: string;
        };
        AuditEntry: {
            /** @description the id of the entry */
            id: number;
            /** @description when the change was made, as YYYY-MM-DD HH:MM:SS in UTC */
            at: string;
            /** @description who made the change; null: the service */
            actor: {
                /** @description the id of the account that made the change */
                id: number;
                username: string;
                /** @description the id of the token or TSIG key that was used */
                token_id: number | null;
                /** @description the label of the token or the name of the key */
                token_name: string | null;
            } | null;
            /** @description the id of the account that owns the changed object */
            account_id: number;
            /** @description whether an administrator made the change for another account */
            by_admin: boolean;
            /** @description the kind of change, such as "record.create" */
            action: string;
            /** @description the changed domain */
            domain: string | null;
            /** @description the id of the changed object; that of an app is a string */
            target: number | string | null;
            /**
             * @description the new values; large ones are shortened, and "shortened" is the number
             * of characters of all of them
             */
            detail: {
                [key: string]: unknown;
            };
            /** @description the sequence number of the change */
            revision: number;
            /** @description the X-Request-Id of the request */
            request_id: string;
            /** @description the address of the client */
            remote_address: string;
        };
        AuditSummary: {
            /** @description findings that prevent publication */
            errors: number;
            /** @description findings that should be fixed */
            warnings: number;
            /** @description findings for information only */
            notices: number;
            /** @description findings among these that need a review */
            review: number;
            /** @description findings among these that are not in the list */
            omitted: number;
        };
        BatchFault: {
            /** @description the entry of the batch and its field, such as "/post/0/content" */
            pointer: string;
            /** @description as in an error; stable */
            code: string;
            /** @description for people to read */
            message: string;
        };
        /** @description What the batch would do; only with "dry_run". */
        BatchPreview: {
            /** @description the records that would be deleted */
            deleted: components["schemas"]["Record"][];
            /** @description the replaced records as they would be, in the order of "put" */
            updated: components["schemas"]["Record"][];
            /** @description in the order of "post" */
            created: components["schemas"]["PlannedRecord"][];
            /**
             * @description what is wrong, at most 1000; entries with a fault are not in the other
             * lists; empty: the batch can be made
             */
            faults: components["schemas"]["BatchFault"][];
            /** @description the number of further faults; omitted when there are none */
            faults_omitted?: number;
        };
        /** @description the stored certificate, and the order for the next one */
        CertificateState: {
            /**
             * @description the origin of the stored certificate
             * @enum {string}
             */
            source: "none" | "automatic" | "uploaded";
            /** @description the host names that it is for, at most 100 */
            names: string[];
            /** @description the organization and the name of its issuer */
            issuer: string | null;
            /** @description when it was issued, as YYYY-MM-DD HH:MM:SS in UTC */
            issued_at: string | null;
            /** @description when it expires, as YYYY-MM-DD HH:MM:SS in UTC */
            expires_at: string | null;
            /** @description whether a node is ordering a certificate at the moment */
            is_ordering: boolean;
            /**
             * @description how the certificate authority is checking the names at the moment; empty
             * if it is not
             */
            challenges: ("dns-01" | "http-01")[];
            /**
             * @description when an order was requested that has not ended yet, as YYYY-MM-DD
             * HH:MM:SS in UTC
             */
            requested_at: string | null;
            /** @description when the last order began, as YYYY-MM-DD HH:MM:SS in UTC */
            attempted_at: string | null;
            /** @description failed orders since the last certificate */
            failures: number;
            /**
             * @description when the next order begins after a failure, unless you request one
             * before, as YYYY-MM-DD HH:MM:SS in UTC
             */
            next_attempt_at: string | null;
            /** @description when its renewal begins, as YYYY-MM-DD HH:MM:SS in UTC */
            renews_at: string | null;
        };
        ChangedRecord: {
            /** @description relative to the domain; "@" is the apex */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description in canonical presentation form */
            content: string;
            /** @description seconds */
            ttl: number;
            /** @description the TTL that the zone has */
            ttl_before: number;
        };
        CommentChange: {
            /** @description relative to the domain; "@" is the apex */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description null: the records had no comment */
            before: string | null;
            /** @description null: the records have no comment */
            after: string | null;
        };
        DnskeyRecord: {
            /** @description the key tag */
            key_tag: number;
            /** @description the flags; 257 is a key that a DS may name */
            flags: number;
            /** @description always 3 */
            protocol: number;
            /** @description the algorithm */
            algorithm: number;
            /** @description the public key, base64 */
            public_key: string;
            /** @description the whole record, as a line of a zone file */
            record: string;
        };
        DnssecError: {
            /**
             * @description the problem
             * @enum {string}
             */
            code: "ds_mismatch" | "parent_unreachable" | "signing_failed";
            /** @description of ds_mismatch: the DS of a former key, of an unknown key, or no DS */
            reason: ("stale" | "foreign" | "missing") | null;
            /** @description the problem and how to fix it */
            message: string;
        };
        DnssecKey: {
            /** @description the id of the key */
            id: number;
            /** @description the key tag */
            key_tag: number;
            /**
             * @description active: it signs the zone; incoming: it will sign the zone; outgoing: it
             * will be removed
             * @enum {string}
             */
            state: "active" | "incoming" | "outgoing";
            /** @description what comes next for a key that is incoming or outgoing */
            next_step: string | null;
            /** @description when that is expected, as YYYY-MM-DD HH:MM:SS in UTC */
            next_at: string | null;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
        };
        DnssecParent: {
            /** @description the parent zone; empty for the root */
            zone: string;
            /**
             * @description the DS records at any of its nameservers: key tag, algorithm, digest
             * type, digest
             */
            ds: string[];
            /** @description the number of its nameservers */
            servers: number;
            /** @description how many of them answered */
            answered: number;
            /** @description when they were asked, as YYYY-MM-DD HH:MM:SS in UTC */
            checked_at: string;
        };
        DocumentVersion: {
            /** @description the number of the version */
            revision: number;
            /** @description whether it is the current version */
            is_current: boolean;
            /** @description when it was set, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            /** @description who set it; null: this is not known */
            actor: {
                /** @description the id of the account that set it */
                id: number;
                username: string;
                /** @description null: it has none */
                token_name: string | null;
            } | null;
        };
        Domain: {
            /** @description the id of the domain */
            id: number;
            /** @description its name, in A-labels, without the last dot */
            domain: string;
            /**
             * @description "primary": its records are changed here; "secondary": they come from its
             * primaries; "catalog": it lists the other domains
             * @enum {string}
             */
            kind: "primary" | "secondary" | "catalog";
            /** @description whose domains a catalog lists; null: it is no catalog */
            members: ("account" | "all") | null;
            /** @description the primaries of a secondary zone; null: it is none */
            primaries: {
                /** @description its IP address, with a port if it is not the standard one */
                address: string;
                /** @description the id of the TSIG key that signs requests; null: none */
                tsig_key_id: number | null;
                /** @description how the zone is transferred over TLS; null: over TCP */
                tls: {
                    /** @description the name in the certificate; null: it is not checked */
                    name: string | null;
                    /** @description the SHA-256 of its public key; null: it is not checked */
                    pin: string | null;
                    /** @description whether any certificate is accepted */
                    opportunistic: boolean;
                } | null;
            }[] | null;
            /** @description the state of a secondary zone; null: it is none */
            secondary: {
                /**
                 * @description "pending": it was never transferred; "current"; "retrying": the last
                 * attempt failed; "expired": no primary has confirmed it in time, and queries fail
                 * @enum {string}
                 */
                state: "pending" | "current" | "retrying" | "expired";
                /** @description the serial of its SOA; null: it was never transferred */
                serial: number | null;
                /** @description when its content last changed, or null */
                transferred_at: string | null;
                /** @description when a primary last confirmed it, or null */
                refreshed_at: string | null;
                /** @description when it expires unless a primary confirms it, or null */
                expires_at: string | null;
                /** @description why the last attempt failed, or null */
                error: string | null;
                /** @description the signatures of the primary; null: the zone is not signed */
                signatures: {
                    /**
                     * @description how missing names are denied
                     * @enum {string}
                     */
                    denial: "nsec" | "nsec3" | "none";
                    /**
                     * @description when the first signature at the apex expires, as YYYY-MM-DD
                     * HH:MM:SS in UTC
                     */
                    earliest_expiry: string;
                    /** @description why validators reject answers of the zone, or null */
                    problem: string | null;
                } | null;
            } | null;
            /**
             * @description a secondary zone that is a catalog, as this node has processed it; null:
             * it is none
             */
            catalog: {
                /** @description why its current content is not processed; null: it is */
                problem: string | null;
                /** @description the number of zones that it lists */
                zones: number;
                /** @description the number of these that the account cannot have */
                left_out_count: number;
                /** @description the first of these */
                left_out: {
                    /** @description the name of the zone */
                    domain: string;
                    /** @description why it is left out, as a code of `POST /domains` */
                    code: string;
                    /** @description why it is left out */
                    message: string;
                }[];
            } | null;
            /** @description the id of the catalog to which a secondary zone belongs; null: none */
            listed_by: number | null;
            /** @description the nameservers to set at the registrar */
            nameservers: string[];
            /** @description the number of its records */
            record_count: number;
            /** @description the sequence number of its last change */
            revision: number;
            /** @description whether the proxy is on */
            proxy_enabled: boolean;
            /** @description the id of the account that owns it */
            account_id: number;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /**
             * @description when it or its records were last changed, as YYYY-MM-DD HH:MM:SS in UTC
             */
            updated_at: string;
            /**
             * @description the first 20 ALIAS records, and CNAME records at proxied names, whose
             * target has no address that may be served; only in `GET` of a single domain and in the
             * answer to an import, omitted when there are none; in zones with more than 50,000
             * records only these are looked through
             */
            warnings?: components["schemas"]["DomainWarning"][];
        };
        DomainChange: {
            /** @description the sequence number of the change */
            seq: number;
            /** @description when the change was made, as YYYY-MM-DD HH:MM:SS in UTC */
            at: string;
            /** @description who made the change; null: the service */
            actor: {
                /** @description the id of the account that made the change */
                id: number;
                username: string;
                /** @description the label of the token or the name of the TSIG key */
                token_name: string | null;
            } | null;
            /** @description whether an administrator made the change for the owner */
            by_admin: boolean;
            /** @description as in the audit log; null: the service made the change */
            action: string | null;
            /** @description whether the change created the domain */
            is_creation: boolean;
            /** @description the changed records, at most 100, and fewer if they are long */
            records: components["schemas"]["RecordChange"][];
            /** @description the number of changed records */
            record_count: number;
            /** @description the changed comments of records */
            comments: components["schemas"]["CommentChange"][];
            /**
             * @description null: the change does not concern the proxy, or the token lacks the
             * scope `proxy:read`
             */
            proxy: {
                /** @description null: not set */
                before: components["schemas"]["PastProxy"] | null;
                after: components["schemas"]["PastProxy"] | null;
            } | null;
            /** @description null: the change does not concern DNSSEC */
            dnssec: {
                /** @description null: off */
                before: components["schemas"]["PastDnssec"] | null;
                after: components["schemas"]["PastDnssec"] | null;
            } | null;
            /** @description false: the change was too large, and its values are not stored */
            is_complete: boolean;
        };
        DomainWarning: {
            /** @description the name of the record, relative to the domain */
            name: string;
            /** @description its type */
            type: string;
            /**
             * @description why, for programs
             * @enum {string}
             */
            code: "no_served_address";
            /** @description for people to read */
            message: string;
        };
        DsRecord: {
            /** @description the key tag */
            key_tag: number;
            /** @description the algorithm */
            algorithm: number;
            /** @description the type of the digest; 2 is SHA-256 */
            digest_type: number;
            /** @description the digest, hexadecimal */
            digest: string;
            /** @description the whole record, as a line of a zone file */
            record: string;
        };
        Error: {
            /** @constant */
            ok: false;
            error: {
                /** @description for programs; stable */
                code: string;
                /** @description for people: what is wrong and what to do */
                message: string;
                /** @description a JSON pointer (RFC 6901) to the field of the body that is wrong */
                pointer?: string;
                /** @description all errors, when there are several */
                details?: {
                    message: string;
                    /**
                     * @description a JSON pointer (RFC 6901) to the field of the body that is wrong
                     */
                    pointer?: string;
                    /** @description the line of the file, from 1 */
                    line?: number;
                    /** @description the rule that a package breaks */
                    code?: string;
                    /** @description the file of a package */
                    file?: string;
                    /** @description what to do instead */
                    fix?: string;
                }[];
            };
            /** @description the X-Request-Id; include it when you ask for help */
            request_id: string;
        };
        ErrorPage: {
            /**
             * @description a status from 400 to 599, "4xx" or "5xx"; the page of a status goes
             * before that of its class
             */
            status: string;
            /**
             * @description the HTML of the page: 32 KiB of UTF-8 at most, with placeholders such as
             * {{status}}
             */
            html: string;
        };
        EtcdStorage: {
            /** @description the size of the database in bytes */
            size: number;
            /** @description the bytes of these that are live data */
            used: number;
            /** @description null: etcd does not report it */
            quota: number | null;
            /** @description whether etcd rejects writes because it is full */
            is_full: boolean;
        };
        ExposedRecord: {
            /** @description relative to the domain; "@" is the apex */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description in presentation form; truncated if it is long */
            content: string;
            /** @description how the record reveals the origin, and how to fix it */
            why: string;
            /** @description the id of the record */
            record_id: number;
            /**
             * @description a change of the record that hides the origin: "set_proxied": set
             * "proxied" to true; "remove_hints": replace the content by fixed_content;
             * "set_address": set its address as the origin, then delete the record; null: only you
             * can decide what to change
             */
            fix: ("set_proxied" | "remove_hints" | "set_address") | null;
            /**
             * @description for "remove_hints", the content without the addresses; otherwise null
             */
            fixed_content: string | null;
        };
        Finding: {
            /**
             * @description one of "error", "warning", "notice"
             * @enum {string}
             */
            type: "error" | "warning" | "notice";
            /** @description the code of the rule; stable */
            code: string;
            /** @description the problem */
            message: string;
            /** @description the file of the package, or null for the package itself */
            file: string | null;
            /** @description the line, from 1 */
            line: number | null;
            /** @description the column, from 1, in UTF-16 units */
            column: number | null;
            /** @description the text at this position */
            excerpt: string | null;
            /** @description how to fix it */
            fix: string;
            /** @description the path of the HTML page that explains the rule */
            url: string;
        };
        ForeignKey: {
            /** @description the id of the key */
            id: number;
            /** @description the key tag */
            key_tag: number;
            /** @description the algorithm */
            algorithm: number;
            /** @description the rdata of its DNSKEY record */
            dnskey: string;
            /** @description when it was added, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
        };
        ImportError: {
            /** @description the line of the file, from 1 */
            line: number;
            /** @description for people to read */
            message: string;
        };
        /** @description What the import would do; only with "dry_run". */
        ImportPreview: {
            /** @description records of the file that the zone does not have */
            created: {
                /** @description the number of records */
                count: number;
                /** @description the first of them, by `limit` */
                records: components["schemas"]["ImportedRecord"][];
            };
            /** @description records that get the TTL of the file */
            changed: {
                /** @description the number of records */
                count: number;
                /** @description the first of them, by `limit` */
                records: components["schemas"]["ChangedRecord"][];
            };
            /** @description records of the zone that the file does not have */
            deleted: {
                /** @description the number of records */
                count: number;
                /** @description the first of them, by `limit` */
                records: components["schemas"]["ImportedRecord"][];
            };
            /** @description the number of records that stay as they are */
            unchanged: number;
            /**
             * @description lines that cannot be imported, sorted by line, at most 1000; the counts
             * are without them; empty: the file can be imported
             */
            errors: components["schemas"]["ImportError"][];
            /** @description the number of further errors; omitted when there are none */
            errors_omitted?: number;
        };
        ImportWarning: {
            /** @description the line of the file, from 1 */
            line: number;
            /** @description such as "occluded"; stable */
            code: string;
            /** @description for people to read */
            message: string;
        };
        ImportedRecord: {
            /** @description relative to the domain; "@" is the apex */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description in canonical presentation form */
            content: string;
            /** @description seconds */
            ttl: number;
        };
        ListedCertificate: {
            /** @description the id of the domain */
            domain_id: number;
            /** @description its name */
            domain: string;
            /**
             * @description as in the proxy
             * @enum {string}
             */
            ssl_status: "none" | "pending" | "active" | "renewing" | "error";
            /** @description when the certificate expires, as YYYY-MM-DD HH:MM:SS in UTC */
            ssl_expires_at: string | null;
            /** @description whether it was uploaded, so that it is not renewed */
            is_uploaded: boolean;
            /** @description why it needs attention, and what to do; null: it needs none */
            problem: string | null;
        };
        ListedDomain: {
            /** @description the id of the domain */
            id: number;
            /** @description its name, in A-labels, without the last dot */
            domain: string;
            /**
             * @description "primary": its records are changed here; "secondary": they come from its
             * primaries; "catalog": it lists the other domains
             * @enum {string}
             */
            kind: "primary" | "secondary" | "catalog";
            /** @description whose domains a catalog lists; null: it is no catalog */
            members: ("account" | "all") | null;
            /** @description the primaries of a secondary zone; null: it is none */
            primaries: {
                /** @description its IP address, with a port if it is not the standard one */
                address: string;
                /** @description the id of the TSIG key that signs requests; null: none */
                tsig_key_id: number | null;
                /** @description how the zone is transferred over TLS; null: over TCP */
                tls: {
                    /** @description the name in the certificate; null: it is not checked */
                    name: string | null;
                    /** @description the SHA-256 of its public key; null: it is not checked */
                    pin: string | null;
                    /** @description whether any certificate is accepted */
                    opportunistic: boolean;
                } | null;
            }[] | null;
            /** @description the state of a secondary zone; null: it is none */
            secondary: {
                /**
                 * @description "pending": it was never transferred; "current"; "retrying": the last
                 * attempt failed; "expired": no primary has confirmed it in time, and queries fail
                 * @enum {string}
                 */
                state: "pending" | "current" | "retrying" | "expired";
                /** @description the serial of its SOA; null: it was never transferred */
                serial: number | null;
                /** @description when its content last changed, or null */
                transferred_at: string | null;
                /** @description when a primary last confirmed it, or null */
                refreshed_at: string | null;
                /** @description when it expires unless a primary confirms it, or null */
                expires_at: string | null;
                /** @description why the last attempt failed, or null */
                error: string | null;
                /** @description the signatures of the primary; null: the zone is not signed */
                signatures: {
                    /**
                     * @description how missing names are denied
                     * @enum {string}
                     */
                    denial: "nsec" | "nsec3" | "none";
                    /**
                     * @description when the first signature at the apex expires, as YYYY-MM-DD
                     * HH:MM:SS in UTC
                     */
                    earliest_expiry: string;
                    /** @description why validators reject answers of the zone, or null */
                    problem: string | null;
                } | null;
            } | null;
            /**
             * @description a secondary zone that is a catalog, as this node has processed it; null:
             * it is none
             */
            catalog: {
                /** @description why its current content is not processed; null: it is */
                problem: string | null;
                /** @description the number of zones that it lists */
                zones: number;
                /** @description the number of these that the account cannot have */
                left_out_count: number;
                /** @description the first of these */
                left_out: {
                    /** @description the name of the zone */
                    domain: string;
                    /** @description why it is left out, as a code of `POST /domains` */
                    code: string;
                    /** @description why it is left out */
                    message: string;
                }[];
            } | null;
            /** @description the id of the catalog to which a secondary zone belongs; null: none */
            listed_by: number | null;
            /** @description the nameservers to set at the registrar */
            nameservers: string[];
            /** @description the number of its records */
            record_count: number;
            /** @description the sequence number of its last change */
            revision: number;
            /** @description whether the proxy is on */
            proxy_enabled: boolean;
            /** @description the id of the account that owns it */
            account_id: number;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /**
             * @description when it or its records were last changed, as YYYY-MM-DD HH:MM:SS in UTC
             */
            updated_at: string;
            /**
             * @description "live": the parent zone has these nameservers; "partial": some of them,
             * or others as well; "elsewhere": others only; "none": no nameservers; "unknown": the
             * parent has not been asked or has not answered
             * @enum {string}
             */
            delegation: "live" | "partial" | "elsewhere" | "none" | "unknown";
            /**
             * @description the state of DNSSEC
             * @enum {string}
             */
            dnssec_status: "off" | "signing" | "awaiting_ds" | "secure" | "rolling_publish" | "rolling_ds" | "rolling_resign" | "retire" | "removing_ds";
            /**
             * @description whether the parent zone lacks a DS record, has a wrong one, or cannot be
             * asked
             */
            dnssec_problem: boolean;
        };
        LogsNodeState: {
            /** @description the node, which delivers the lines of its own requests */
            node: string;
            /** @description when it began to count, as YYYY-MM-DD HH:MM:SS in UTC */
            since: string;
            /** @description lines that the receiver has accepted */
            delivered_lines: number;
            /** @description batches that the receiver has accepted */
            delivered_batches: number;
            /**
             * @description lines that were dropped: they waited too long, were too many, or were
             * refused
             */
            dropped_lines: number;
            /** @description lines that wait for delivery */
            waiting_lines: number;
            /** @description null: there was none */
            last_delivered_at: string | null;
            /** @description null: there was none */
            last_error_at: string | null;
            /** @description why the last attempt failed; null: it has not */
            last_error: string | null;
            /** @description failed attempts in a row */
            failures: number;
        };
        NewRecord: {
            /** @description a string, the name in the domain, such as "www"; "@" is the apex */
            name: string;
            /** @description a string, the type of the record, such as "A" */
            type: string;
            /** @description a string, such as "192.0.2.1" */
            content: string;
            /** @description a whole number of seconds, 30 to 604800, or 1 for the default */
            ttl?: number;
            /** @description a whole number from 0 to 65535; used for MX and SRV */
            priority?: number | null;
            /**
             * @description true or false, whether the name is proxied while the proxy of the domain
             * is on; null: the service decides
             */
            proxied?: boolean | null;
            /**
             * @description a string of at most 1000 characters for people to read, which all
             * records of the name and type share; null: none
             */
            comment?: string | null;
            /** @description as in the response; ignored */
            readonly id?: unknown;
            /** @description as in the response; ignored */
            readonly data?: unknown;
            /** @description as in the response; ignored */
            readonly alias?: unknown;
            /** @description as in the response; ignored */
            readonly warnings?: unknown;
            /** @description as in the response; ignored */
            readonly created_at?: unknown;
            /** @description as in the response; ignored */
            readonly updated_at?: unknown;
        };
        Node: {
            /** @description the name of the node */
            name: string;
            /** @description whether this node answered the request */
            is_self: boolean;
            /**
             * @description the state; `following`: it serves all changes; `single`: the only node;
             * `unreachable`: it does not respond
             * @enum {string}
             */
            state: "starting" | "following" | "catching_up" | "fetching" | "without_etcd" | "cut_off" | "stuck" | "lost" | "single" | "unreachable" | "unknown";
            /** @description whether writes wait for the node */
            is_live: boolean;
            /** @description null: not known */
            applied: number | null;
            /** @description null: not known */
            lag_entries: number | null;
            /** @description null: the node does not report it */
            lag_seconds: number | null;
            /** @description the version of its software, as of its last start */
            version: string;
            /**
             * @description what it knows of changes: a node of a lower level cannot store some of
             * them
             */
            feature_level: number;
            /** @description null: a single node */
            address: string | null;
            /** @description null: the node does not report it */
            started_at: string | null;
            /** @description null: none since this node started */
            heard_at: string | null;
        };
        /** @description an object, the certificate that the edge presents to the origins */
        OriginClientCertificate: {
            /** @description the client certificate in PEM form, with its chain, leaf first */
            certificate: string;
        };
        /**
         * @description an object, when an origin is ejected because requests fail; the defaults are
         * {failures:5, error_rate:50, min_requests:20, duration:30}
         */
        OriginEjection: {
            /** @description the failures in a row after which an origin is ejected */
            failures: number;
            /**
             * @description the percentage of failed requests in ten seconds from which an origin is
             * ejected
             */
            error_rate: number;
            /** @description the requests in ten seconds below which error_rate does not count */
            min_requests: number;
            /**
             * @description a whole number of seconds from 1 to 3600, the first ejection; each
             * further one is twice as long, up to eight times
             */
            duration: number;
        };
        /**
         * @description an object, the health check of the origins; the defaults are {path:/,
         * status:null, interval:10, timeout:5, rise:2, fall:3}
         */
        OriginHealthCheck: {
            /** @description a path, such as "/up" */
            path: string;
            /** @description null, or the expected status; null: 200 to 399 */
            status: number | null;
            /**
             * @description a whole number of seconds from 2 to 3600, the time between two checks
             */
            interval: number;
            /** @description a whole number of seconds from 1 to 60, the time for one check */
            timeout: number;
            /** @description the successes in a row after which an origin is up again */
            rise: number;
            /** @description the failures in a row after which an origin is down */
            fall: number;
        };
        OriginInRegion: {
            /** @description the name of the region; empty: the nodes have none */
            region: string;
            /** @description whether it is up there */
            is_up: boolean;
            /** @description since when, as YYYY-MM-DD HH:MM:SS in UTC */
            since: string;
            /** @description why it is down; null: it is up */
            reason: string | null;
        };
        /**
         * @description an object, how requests are sent again; the defaults are {attempts:3,
         * budget:20}
         */
        OriginRetries: {
            /** @description a whole number from 1 to 5, the attempts of one request */
            attempts: number;
            /** @description the percentage of requests that may be sent again; 0: none */
            budget: number;
        };
        OriginState: {
            /** @description as in the document */
            origin: string;
            /** @description its port */
            port: number;
            /**
             * @description one of "http", "https"
             * @enum {string}
             */
            protocol: "http" | "https";
            /** @description its weight */
            weight: number;
            /**
             * @description "partly": down in some regions; "unknown": not checked yet, which counts
             * as up; "unchecked": the entry has no health check
             * @enum {string}
             */
            state: "up" | "down" | "partly" | "unknown" | "unchecked";
            /** @description null: unknown */
            since: string | null;
            /** @description why it is down; null: it is not */
            reason: string | null;
            /** @description null: it is not ejected */
            ejected_until: string | null;
            /** @description the results of the regions that have checked it */
            regions: components["schemas"]["OriginInRegion"][];
        };
        OriginsEntry: {
            /**
             * @description null, or a name relative to the domain: "@", "www", "*.dev", or "*" for
             * every name; null: "*", or no requests but those of rules for an entry with a label
             * and without path
             */
            name: string | null;
            /**
             * @description null, or the start of paths, in whole segments, such as "/api"; null:
             * "/", or as for name
             */
            path: string | null;
            /** @description null, or a name by which rules send requests here; null: none */
            label: string | null;
            /** @description a list of 1 to 32 origins */
            pool: components["schemas"]["PoolOrigin"][];
            /**
             * @description null, or an object, the health check of the origins; the defaults are
             * {path:/, status:null, interval:10, timeout:5, rise:2, fall:3}; null: no checks
             */
            health: components["schemas"]["OriginHealthCheck"] | null;
            /**
             * @description null, or an object, when an origin is ejected because requests fail; the
             * defaults are {failures:5, error_rate:50, min_requests:20, duration:30}; null: never
             */
            ejection: components["schemas"]["OriginEjection"] | null;
            /** @description null, or an object, how visitors are kept at one origin; null: not */
            sticky: components["schemas"]["StickyOrigins"] | null;
            retries: components["schemas"]["OriginRetries"];
            /**
             * @description true or false, whether stale responses of the cache are served when all
             * origins are down; the default is true
             */
            stale_when_down: boolean;
            /**
             * @description null, or the Host field that the origins receive; null: the visitor's
             */
            host: string | null;
            /**
             * @description null, or the name for SNI and for the verification of the certificate;
             * null: the host name of the origin
             */
            server_name: string | null;
            /**
             * @description the version of HTTP to the origins: "1.1", "2", or "h2c" (HTTP/2 without
             * TLS); the default is "1.1"
             * @enum {string}
             */
            version: "1.1" | "2" | "h2c";
            /**
             * @description null, or the certificate authorities of the origins in PEM form, in
             * place of the public ones; null: the public ones
             */
            ca: string | null;
            /**
             * @description null, or at most 10 pins; the key of the origin must be one of them, and
             * its certificate is not verified otherwise, unless ca is set; null: any key
             */
            pins: string[] | null;
            /**
             * @description null, or a whole number of seconds from 1 to 60, for a connection; null:
             * edge.origin_connect_timeout
             */
            connect_timeout: number | null;
            /**
             * @description null, or a whole number of seconds from 1 to 600, until the head of the
             * response; null: edge.origin_header_timeout
             */
            response_timeout: number | null;
            /**
             * @description null, or an object, the certificate that the edge presents to the
             * origins; null: none
             */
            client_certificate: components["schemas"]["OriginClientCertificate"] | null;
        };
        OriginsEntryHealth: {
            /** @description as in the document */
            name: string | null;
            /** @description as in the document */
            path: string | null;
            /** @description as in the document */
            label: string | null;
            /** @description whether it has a health check */
            is_checked: boolean;
            /** @description whether all of its origins are down */
            is_down: boolean;
            /** @description in the order of the pool */
            origins: components["schemas"]["OriginState"][];
        };
        OwnAccount: {
            /** @description the id of the account */
            id: number;
            username: string;
            /** @description its e-mail address, also accepted as the login */
            email: string | null;
            /**
             * @description one of "admin", "user", "viewer"
             * @enum {string}
             */
            role: "admin" | "user" | "viewer";
            /** @description the number of its domains */
            domain_count: number;
            /** @description the number of records in all its domains */
            dns_record_count: number;
            limits: {
                plan: string;
                /** @description whether the number of domains is unlimited */
                is_unlimited: boolean;
                /** @description the maximum number of domains, or "unlimited" */
                max_domains_display: string;
            };
        };
        Passkey: {
            /** @description the id of the passkey */
            id: number;
            /** @description the label of the passkey */
            name: string;
            /** @description the host name of the dashboard at which it works */
            host: string;
            /** @description how browsers reach its authenticator */
            transports: string[];
            /** @description whether it exists on other devices too */
            synced: boolean;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it was last used; null: never */
            last_used_at: string | null;
        };
        PastDnssec: {
            /** @description whether the zone is signed */
            is_enabled: boolean;
            /** @description the DNS security algorithm */
            algorithm: number | null;
            /** @description the number of own keys */
            keys: number;
            /** @description the number of keys of other providers */
            foreign_keys: number;
        };
        PastProxy: {
            /** @description whether the proxy is on */
            is_enabled: boolean;
            /** @description null: each name has its own addresses */
            origin_host: string | null;
            /** @description the port of the origin */
            origin_port: number | null;
            /** @description "http" or "https" */
            origin_protocol: string | null;
            /** @description seconds; null: HSTS is not sent */
            hsts_max_age: number | null;
            /** @description as in the proxy */
            hsts_include_subdomains: boolean;
            /** @description as in the proxy */
            hsts_preload: boolean;
            /** @description as in the proxy */
            heuristic_freshness: boolean;
        };
        PastRecord: {
            /** @description the id of the record */
            id: number;
            /** @description relative to the domain; "@" is the apex */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description in canonical presentation form */
            content: string;
            /** @description seconds */
            ttl: number;
            /** @description as in a record */
            proxied: boolean | null;
        };
        Plan: {
            name: string;
            /** @description null: unlimited */
            max_domains: number | null;
        };
        /** @description A record that does not exist yet. */
        PlannedRecord: {
            /** @description relative to the domain; "@" is the apex */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description in canonical presentation form */
            content: string;
            /** @description seconds */
            ttl: number;
            /** @description the content, field by field */
            data: {
                [key: string]: unknown;
            };
            /** @description as in a record */
            proxied: boolean | null;
            /** @description as in a record */
            comment: string | null;
        };
        /** @description the sandbox policy that hosts apply to the package */
        PolicyReference: {
            /** @description the version of the policy */
            version: number;
            /** @description the SHA-256 of config/sandbox-policy.json */
            sha256: string;
            /** @description the Content-Security-Policy of every page and worker */
            content_security_policy: string;
            /** @description the path of the whole policy */
            url: string;
        };
        PoolOrigin: {
            /**
             * @description a string, a public IPv4 or IPv6 address or a host name, such as
             * "origin.example.net"
             */
            origin: string;
            /**
             * @description a whole number from 1 to 65535; the default is 443, or 80 with the
             * protocol http
             */
            port: number;
            /**
             * @description "http" or "https"; the default follows from port 80 or 443
             * @enum {string}
             */
            protocol: "http" | "https";
            /**
             * @description a whole number from 0 to 1000, its part of the requests; 0: only
             * visitors who are already kept there; the default is 1
             */
            weight: number;
        };
        Proxy: {
            /** @description the id of the domain */
            domain_id: number;
            /**
             * @description 1 while the proxy is on
             * @enum {integer}
             */
            is_enabled: 0 | 1;
            /**
             * @description address or host name of the web server behind the proxy; empty until it
             * is set
             */
            origin_host: string;
            /** @description the port of the origin; 443 until one is set */
            origin_port: number;
            /**
             * @description the protocol of the origin; "https" until one is set
             * @enum {string}
             */
            origin_protocol: "http" | "https";
            /**
             * @description seconds for the max-age of HSTS (Strict-Transport-Security, RFC 6797); 0
             * revokes HSTS in browsers, null sends no header
             */
            hsts_max_age: number | null;
            /**
             * @description whether HSTS holds for all names below the host too (includeSubDomains)
             */
            hsts_include_subdomains: boolean;
            /**
             * @description whether browsers may include the domain in their preload lists
             * (preload), which requires hsts_include_subdomains and an hsts_max_age of at least a
             * year
             */
            hsts_preload: boolean;
            /**
             * @description whether the cache also uses heuristic freshness (RFC 9111 section 4.2.2)
             * for requests with Cookie or Authorization, URLs with a query, and responses with
             * Pragma or Vary: Cookie
             */
            heuristic_freshness: boolean;
            /**
             * @description the state of the certificate: "none"; "pending": the first one is being
             * ordered; "active"; "renewing": a new one is being ordered while the current one is
             * served; "error": there is none, and ssl_error has the reason
             * @enum {string}
             */
            ssl_status: "none" | "pending" | "active" | "renewing" | "error";
            /** @description when the certificate was issued, as YYYY-MM-DD HH:MM:SS in UTC */
            ssl_issued_at: string | null;
            /** @description when it expires, as YYYY-MM-DD HH:MM:SS in UTC */
            ssl_expires_at: string | null;
            /**
             * @description the problem with the certificate and the next step: why there is none,
             * why the renewal failed, or which names it does not cover; or null
             */
            ssl_error: string | null;
            certificate: components["schemas"]["CertificateState"];
            /**
             * @description records that reveal the origin although the proxy is on, at most 100;
             * while the proxy is off, the records that would do so
             */
            exposed: components["schemas"]["ExposedRecord"][];
            /**
             * @description accepted settings that may be a mistake, while the proxy is on: no
             * origin, an origin or names that cannot be reached; empty if there are none
             */
            warnings: string[];
        };
        PublishedPackage: {
            /** @description the id of the upload */
            id: number;
            /** @description the id of the app, from the manifest */
            app_id: string;
            /** @description the version, for people */
            version: string;
            /** @description the number of the version; it increases with each version */
            version_code: number;
            /**
             * @description the state of the package
             * @enum {string}
             */
            status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
            /** @description the path of this upload */
            url: string;
            /** @description when it was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when its status last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            /** @description the number of findings, or null while there is no verdict */
            summary: components["schemas"]["AuditSummary"] | null;
            policy: components["schemas"]["PolicyReference"];
        };
        QueuedUpload: {
            /** @description the id of the upload */
            id: number;
            /** @description the id of the app, from the manifest */
            app_id: string;
            /** @description the version, for people */
            version: string;
            /** @description the number of the version; it increases with each version */
            version_code: number;
            /**
             * @description the state of the package
             * @enum {string}
             */
            status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
            /** @description the path of this upload */
            url: string;
            /** @description when it was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when its status last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            /** @description the number of findings, or null while there is no verdict */
            summary: components["schemas"]["AuditSummary"] | null;
            /** @description the name of the app */
            app_name: string | null;
            /** @description the id of the account */
            account_id: number;
            /** @description the username of the account; null: it was deleted */
            username: string | null;
            /** @description the release notes */
            notes: string | null;
        };
        Record: {
            /** @description the id of the record */
            id: number;
            /** @description relative to the domain; "@" is the apex */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description in canonical presentation form */
            content: string;
            /** @description seconds */
            ttl: number;
            /** @description the content, field by field */
            data: {
                [key: string]: unknown;
            };
            /**
             * @description whether the name is proxied while the proxy of the domain is on; null:
             * the service decides
             */
            proxied: boolean | null;
            /**
             * @description for people to read; the same for all records of the name and type; null:
             * none
             */
            comment: string | null;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            alias?: components["schemas"]["Alias"];
            /**
             * @description why the target of an ALIAS, or of a CNAME at a proxied name, is not
             * served; only in lists, omitted when there are none
             */
            warnings?: components["schemas"]["TargetWarning"][];
        };
        RecordChange: {
            /**
             * @description what happened to the record
             * @enum {string}
             */
            kind: "created" | "updated" | "deleted";
            /** @description null: the record was created */
            before: components["schemas"]["PastRecord"] | null;
            /** @description null: the record was deleted */
            after: components["schemas"]["PastRecord"] | null;
        };
        RecordWarning: {
            /**
             * @description why, for programs
             * @enum {string}
             */
            code: "no_served_address";
            /** @description for people to read */
            message: string;
            /** @description a JSON pointer into the response, such as "/record/content" */
            pointer: string;
        };
        Rule: {
            /** @description the code of its findings */
            code: string;
            /**
             * @description one of "error", "warning", "notice"
             * @enum {string}
             */
            type: "error" | "warning" | "notice";
            /** @description whether a package with this finding needs a review */
            review: boolean;
            /** @description the reason for the rule and what exactly it checks */
            about: string;
            /** @description how to fix it */
            fix: string;
            /** @description the path of the HTML page that explains the rule */
            url: string;
            /** @description the rule in one line */
            title: string;
        };
        RuleAction: {
            /**
             * @description one of "allow", "deny", "limit", "redirect", "rewrite",
             * "set_request_header", "remove_request_header", "set_response_header",
             * "remove_response_header", "cache", "bypass_cache", "no_compression", "basic_auth",
             * "challenge", "error_page", "maintenance", "origin"
             * @enum {string}
             */
            type: "allow" | "deny" | "limit" | "redirect" | "rewrite" | "set_request_header" | "remove_request_header" | "set_response_header" | "remove_response_header" | "cache" | "bypass_cache" | "no_compression" | "basic_auth" | "challenge" | "error_page" | "maintenance" | "origin";
            /** @description the status of deny (403), redirect (302) and error_page */
            status?: number;
            /** @description where a redirect leads, with placeholders such as {uri} */
            location?: string;
            /** @description the path of a rewrite, with placeholders such as {rest} */
            path?: string;
            /** @description the name of a header or of an origin */
            name?: string;
            /** @description the value of a header */
            value?: string;
            /** @description requests that a limit allows in a period, on average */
            requests?: number;
            /** @description the period of a limit in seconds */
            period?: number;
            /** @description requests that may come at once; the default is requests */
            burst?: number;
            /** @description what a limit counts by: address, network, header:NAME or cookie:NAME */
            by?: string;
            /** @description seconds that the cache keeps responses */
            ttl?: number;
            /** @description true: ttl replaces what the origin says */
            override?: boolean;
            /** @description what distinguishes responses in the cache */
            key?: {
                /** @description the only query parameters in the key of the cache; empty: none */
                query_only?: string[];
                /** @description query parameters that are not in the key of the cache */
                query_without?: string[];
                /** @description headers whose values are in the key of the cache */
                headers?: string[];
                /** @description cookies whose values are in the key of the cache */
                cookies?: string[];
            };
            /** @description what browsers show when they ask for a password */
            realm?: string;
            /** @description users of basic_auth */
            users?: {
                /** @description the name of the user */
                name: string;
                /** @description true: a password is stored */
                has_password: boolean;
            }[];
            /** @description what visitors read on the page of maintenance or error_page */
            message?: string;
            /** @description seconds after which maintenance ends */
            retry_after?: number;
        };
        /**
         * @description conditions of which all hold; a match without any holds for every request
         */
        RuleMatch: {
            /** @description host names; any of them */
            host?: string[];
            /**
             * @description the path without the query, with escapes decoded and dot segments
             * resolved
             */
            path?: {
                /** @description whole paths; any of them */
                exact?: string[];
                /** @description beginnings of paths; any of them */
                prefix?: string[];
                /** @description ends of paths; any of them */
                suffix?: string[];
                /** @description parts of paths; any of them */
                contains?: string[];
                /** @description globs of paths; any of them */
                glob?: string[];
                /** @description regular expressions for a part of paths; any of them */
                regex?: string[];
                /** @description true: the case of letters does not matter */
                ignore_case?: boolean;
            };
            /** @description methods; any of them */
            method?: string[];
            /** @description addresses or networks of clients; any of them */
            client?: string[];
            /** @description countries of clients; any of them */
            country?: string[];
            /** @description conditions for headers; all of them hold */
            header?: {
                /** @description the name of a header */
                name: string;
                /** @description true: it is not there, or has none of these values */
                absent?: boolean;
                /** @description whole values; any of them */
                exact?: string[];
                /** @description beginnings of values; any of them */
                prefix?: string[];
                /** @description ends of values; any of them */
                suffix?: string[];
                /** @description parts of values; any of them */
                contains?: string[];
                /** @description globs of values; any of them */
                glob?: string[];
                /** @description regular expressions for a part of values; any of them */
                regex?: string[];
                /** @description true: the case of letters does not matter */
                ignore_case?: boolean;
            }[];
            /** @description conditions for cookies; all of them hold */
            cookie?: {
                /** @description the name of a cookie; "*" at its end stands for any text */
                name: string;
                /** @description true: it is not there, or has none of these values */
                absent?: boolean;
                /** @description whole values; any of them */
                exact?: string[];
                /** @description beginnings of values; any of them */
                prefix?: string[];
                /** @description ends of values; any of them */
                suffix?: string[];
                /** @description parts of values; any of them */
                contains?: string[];
                /** @description globs of values; any of them */
                glob?: string[];
                /** @description regular expressions for a part of values; any of them */
                regex?: string[];
                /** @description true: the case of letters does not matter */
                ignore_case?: boolean;
            }[];
            /** @description conditions for query parameters; all of them hold */
            query?: {
                /** @description the name of a parameter; "*" at its end stands for any text */
                name: string;
                /** @description true: it is not there, or has none of these values */
                absent?: boolean;
                /** @description whole values; any of them */
                exact?: string[];
                /** @description beginnings of values; any of them */
                prefix?: string[];
                /** @description ends of values; any of them */
                suffix?: string[];
                /** @description parts of values; any of them */
                contains?: string[];
                /** @description globs of values; any of them */
                glob?: string[];
                /** @description regular expressions for a part of values; any of them */
                regex?: string[];
                /** @description true: the case of letters does not matter */
                ignore_case?: boolean;
            }[];
        };
        SandboxPolicy: {
            /** @description the version of the policy */
            version: number;
            /** @description the SHA-256 of config/sandbox-policy.json */
            sha256: string;
            /** @description the Content-Security-Policy of every page and worker */
            content_security_policy: string;
            /** @description the Permissions-Policy of every page */
            permissions_policy: string;
            /** @description the Connection-Allowlist of every page */
            connection_allowlist: string;
            /**
             * @description the tokens of the sandbox, with blanks between them; the origin is
             * opaque
             */
            sandbox: string;
            /**
             * @description the origin of an app
             * @enum {string}
             */
            origin: "opaque";
            /**
             * @description where an app may navigate: to pages of its own package
             * @enum {string}
             */
            navigation: "package";
            background: {
                /** @description whether a background file may make code from text */
                eval: boolean;
                /** @description whether it may reach classes of Java */
                java: boolean;
                /** @description whether it may load files */
                load: boolean;
                /**
                 * @description whether Host can be changed
                 * @enum {string}
                 */
                host: "frozen";
            };
        };
        Sdk: {
            /** @description the version */
            version: string;
            /** @description the SHA-256 of host-sdk.js */
            sha256: string;
            /** @description the size of host-sdk.js in bytes */
            size: number;
            /** @description the path of host-sdk.js */
            url: string;
            /** @description the path of host-sdk.d.ts, the types for TypeScript */
            typings_url: string;
            /** @description the path of background.d.ts, the types of background files */
            background_typings_url: string;
            /** @description whether new packages with this version are rejected */
            withdrawn: boolean;
        };
        Session: {
            /** @description the id of the session */
            id: number;
            /** @description whether it is the session of this request */
            current: boolean;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /**
             * @description when it was last used, to within 5 minutes, as YYYY-MM-DD HH:MM:SS in
             * UTC
             */
            last_used_at: string;
            /**
             * @description when the session ends unless it is used, as YYYY-MM-DD HH:MM:SS in UTC
             */
            expires_at: string;
            /** @description the address of the client that signed in */
            remote_address: string;
            /** @description the User-Agent of the client that signed in */
            user_agent: string | null;
        };
        SiteRule: {
            /** @description a name for people */
            name?: string;
            /** @description false: the rule is skipped; the default is true */
            enabled?: boolean;
            /** @description true: the rule is matched and counted, but does nothing */
            dry_run?: boolean;
            match?: components["schemas"]["RuleMatch"];
            except?: components["schemas"]["RuleMatch"];
            action: components["schemas"]["RuleAction"];
        };
        Statistics: {
            /** @description the start of the first step, as YYYY-MM-DD HH:MM:SS in UTC */
            from: string;
            /** @description the end of the last step, as YYYY-MM-DD HH:MM:SS in UTC */
            to: string;
            /** @description the length of a step in seconds */
            step: number;
            queries: {
                /**
                 * @description one DNS query in this number was counted, and counts as so many; 1:
                 * all counts are exact
                 */
                sampling: number;
                /** @description DNS queries */
                total: number;
                /**
                 * @description queries by type, the highest total first; without those that are
                 * zero
                 */
                by_type: components["schemas"]["StatisticsSeries"][];
                /**
                 * @description queries by response code, the highest total first; without those
                 * that are zero
                 */
                by_code: components["schemas"]["StatisticsSeries"][];
            };
            /** @description the most queried names, the highest number first */
            top_names: {
                /**
                 * @description of a domain relative, "@" for its apex; of an account the whole name
                 */
                name: string;
                /**
                 * @description queries that certainly were for this name, sampled like all queries
                 */
                queries: number;
            }[];
            requests: {
                /** @description HTTP requests, all of them */
                total: number;
                /**
                 * @description requests by status; 499: the client disconnected before the
                 * response, the highest total first; without those that are zero
                 */
                by_status: components["schemas"]["StatisticsSeries"][];
                /**
                 * @description requests by cache result, the highest total first; without those
                 * that are zero
                 */
                by_cache: components["schemas"]["StatisticsSeries"][];
            };
            bytes: {
                /** @description bytes of response bodies */
                total: number;
                /** @description those that came from the cache */
                cached: number;
                /** @description bytes of response bodies, for each step */
                sent_counts: number[];
                /** @description those from the cache, for each step */
                cached_counts: number[];
            };
            nodes: {
                /** @description the nodes whose counts are included */
                answered: string[];
                /**
                 * @description the nodes whose counts are missing: not reachable, or statistics are
                 * off
                 */
                missing: string[];
            };
        };
        StatisticsSeries: {
            /** @description what is counted, such as "AAAA", "NXDOMAIN", "404" or "hit" */
            name: string;
            /** @description the sum of all steps */
            total: number;
            /** @description one number for each step, the first at `from` */
            counts: number[];
        };
        /** @description an object, how visitors are kept at one origin */
        StickyOrigins: {
            /**
             * @description "cookie", or "client" for a hash of its address
             * @enum {string}
             */
            by: "cookie" | "client";
            /** @description the name of the cookie */
            cookie: string;
            /**
             * @description null, or a whole number of seconds from 1 to 31536000, the lifetime of
             * the cookie; null: until the browser is closed
             */
            max_age: number | null;
        };
        StoreApp: {
            /** @description the id of the app */
            app_id: string;
            /** @description the name of the app */
            name: string;
            /** @description the version, for people */
            version: string;
            /** @description the number of the version; it increases */
            version_code: number;
            /** @description the description; in the list, its first 200 characters */
            description: string | null;
            /** @description the category */
            category: string | null;
            /** @description the lowest version of the host that runs it */
            min_host_version: string;
            /** @description the permissions of its pages */
            permissions: string[];
            /** @description the permissions of its background file */
            background_permissions: string[];
            /** @description the path of the icon, or null */
            icon_url: string | null;
            /** @description the path of the package */
            package_url: string;
            /** @description the size of the package in bytes */
            size: number;
            /** @description the SHA-256 of the package */
            sha256: string;
            /** @description the id of the key that made the signature */
            key_id: number;
            /** @description the Ed25519 signature in base64 under the statement of the package */
            signature: string;
            /** @description a signature of each key that signs, that of the current key first */
            signatures: {
                /** @description the id of the key that made the signature */
                key_id: number;
                /**
                 * @description the Ed25519 signature in base64 under the statement of the package
                 */
                signature: string;
            }[];
            /** @description the sandbox policy that hosts apply to the package */
            policy: {
                /** @description its version */
                version: number;
                /** @description its SHA-256 */
                sha256: string;
                /** @description its path */
                url: string;
            };
            /** @description when the package was published, as YYYY-MM-DD HH:MM:SS in UTC */
            published_at: string;
        };
        StoreKey: {
            /** @description the id of the key; the newest key has the greatest id */
            key_id: number;
            /**
             * @description the algorithm of its signatures (RFC 8032)
             * @enum {string}
             */
            algorithm: "ed25519";
            /** @description the 32 bytes of the public key in base64 */
            public_key: string;
            /** @description the same as PEM, for openssl */
            public_key_pem: string;
            /**
             * @description "current" and "previous" keys sign; "expired" ones do not sign any more;
             * "revoked" ones must not be trusted
             * @enum {string}
             */
            state: "current" | "previous" | "expired" | "revoked";
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it ceases to sign, as created_at; null: no end is planned */
            signs_until: string | null;
            /** @description the key_id of the earlier key that endorses it; null: none does */
            endorsed_by: number | null;
            /** @description the signature of that key in base64 */
            endorsement: string | null;
            /** @description when it was revoked, as YYYY-MM-DD HH:MM:SS in UTC */
            revoked_at: string | null;
            /** @description the reason */
            revoked_reason: string | null;
            /**
             * @description the signature of the key under its own revocation in base64; null: it
             * could not sign any more
             */
            revocation: string | null;
        };
        TargetWarning: {
            /**
             * @description why, for programs
             * @enum {string}
             */
            code: "no_served_address";
            /** @description for people to read */
            message: string;
        };
        Token: {
            /** @description the id of the token */
            id: number;
            /** @description the label of the token */
            name: string;
            /** @description the prefix of the token */
            prefix: string;
            /** @description the scopes of the token */
            scopes: string[];
            /**
             * @description the only domains that the token gives access to; null: all domains of
             * the account
             */
            domains: number[] | null;
            /** @description whether the token exchange issued it for a password */
            by_password: boolean;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it expires; null: never */
            expires_at: string | null;
            /**
             * @description when it was last used, on other nodes to within 6 minutes; null: never
             */
            last_used_at: string | null;
        };
        Totp: {
            /** @description whether sign-in and token exchange need a code */
            enabled: boolean;
            /** @description since when; null: they need none */
            confirmed_at: string | null;
            /** @description the number of unused recovery codes */
            recovery_codes_left: number;
        };
        TsigKey: {
            /** @description the id of the key */
            id: number;
            /** @description its name, without the last dot */
            name: string;
            /**
             * @description the algorithm of the signatures
             * @enum {string}
             */
            algorithm: "hmac-sha256" | "hmac-sha512";
            /** @description the scopes of the key */
            scopes: string[];
            /**
             * @description the domains that the key is valid for; null: all domains of the account
             */
            domain_ids: number[] | null;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
        };
        Upload: {
            /** @description the id of the upload */
            id: number;
            /** @description the id of the app, from the manifest */
            app_id: string;
            /** @description the version, for people */
            version: string;
            /** @description the number of the version; it increases with each version */
            version_code: number;
            /**
             * @description the state of the package
             * @enum {string}
             */
            status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
            /** @description the path of this upload */
            url: string;
            /** @description when it was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when its status last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            /** @description the id of the account of the app */
            account_id: number;
            /** @description the SHA-256 of the package */
            sha256: string;
            /** @description the size of the package in bytes */
            size: number;
            /** @description the release notes, or null */
            notes: string | null;
            audit: {
                /** @description the number of findings, or null while there is no verdict */
                summary: components["schemas"]["AuditSummary"] | null;
                /** @description the findings, sorted by file and line */
                findings: components["schemas"]["Finding"][];
            };
            /** @description the steps of the upload so far */
            history: {
                /**
                 * @description the state of the package
                 * @enum {string}
                 */
                status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
                /** @description when, as YYYY-MM-DD HH:MM:SS in UTC */
                at: string;
                /**
                 * @description the username of the account that made the step; null: the service
                 */
                by: string | null;
                /** @description the reason; null: none was given */
                reason: string | null;
                /** @description the codes of the findings that are the reason */
                codes: string[];
            }[];
        };
        UploadBrief: {
            /** @description the id of the upload */
            id: number;
            /** @description the id of the app, from the manifest */
            app_id: string;
            /** @description the version, for people */
            version: string;
            /** @description the number of the version; it increases with each version */
            version_code: number;
            /**
             * @description the state of the package
             * @enum {string}
             */
            status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
            /** @description the path of this upload */
            url: string;
            /** @description when it was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when its status last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            /** @description the number of findings, or null while there is no verdict */
            summary: components["schemas"]["AuditSummary"] | null;
        };
        Webhook: {
            /** @description the id of the webhook */
            id: number;
            /** @description where events are sent */
            url: string;
            /** @description its description */
            description: string;
            /** @description the chosen types of events */
            events: string[];
            /** @description the chosen domains; null: all of the account */
            domain_ids: number[] | null;
            /** @description whether events are delivered */
            enabled: boolean;
            /**
             * @description one of "ok", "failing", "disabled"
             * @enum {string}
             */
            status: "ok" | "failing" | "disabled";
            /** @description why the service has disabled it; null: it has not */
            disabled_reason: string | null;
            /**
             * @description the first failed attempt since the last successful one, as YYYY-MM-DD
             * HH:MM:SS in UTC
             */
            failing_since: string | null;
            /**
             * @description until when the previous secret signs too, as YYYY-MM-DD HH:MM:SS in UTC
             */
            rotated_until: string | null;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
        };
        WebhookDelivery: {
            /** @description the id of the delivery */
            id: number;
            /** @description the header webhook-id of its attempts */
            message: string;
            /** @description the type of the event */
            event: string;
            /** @description the sequence number of the change; null: no change */
            seq: number | null;
            /**
             * @description one of "pending", "delivered", "failed"
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed";
            /** @description attempts since the event, or since the last replay */
            attempts: number;
            /** @description the status of the last response; null: there was none */
            response_status: number | null;
            /** @description why the last attempt failed; null: it has not */
            error: string | null;
            /** @description the duration of the last attempt in milliseconds */
            duration_ms: number | null;
            /** @description the last attempt, as YYYY-MM-DD HH:MM:SS in UTC */
            attempted_at: string | null;
            /** @description the next attempt, as YYYY-MM-DD HH:MM:SS in UTC */
            next_attempt_at: string | null;
            /** @description when the event was queued, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description the body that is sent */
            payload: {
                [key: string]: unknown;
            };
        };
    };
    responses: {
        /**
         * @description Unauthorized: `missing_token`, `malformed_token`, `invalid_token`,
         * `expired_token`, `invalid_session`, `expired_session`.
         */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "missing_token" | "malformed_token" | "invalid_token" | "expired_token" | "invalid_session" | "expired_session";
                    };
                };
            };
        };
        /** @description Request Timeout: `body_too_slow`, `header_too_slow`. */
        BodyTooSlow: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "body_too_slow" | "header_too_slow";
                    };
                };
            };
        };
        /** @description Conflict: `plan_limit`. */
        PlanLimit: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "plan_limit";
                    };
                };
            };
        };
        /** @description Precondition Failed: `changed`. */
        Changed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "changed";
                    };
                };
            };
        };
        /** @description Payload Too Large: `body_too_large`, `chunk_too_large`. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "body_too_large" | "chunk_too_large";
                    };
                };
            };
        };
        /** @description Unsupported Media Type: `unsupported_media_type`. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "unsupported_media_type";
                    };
                };
            };
        };
        /** @description Too Many Requests: `too_many_requests`. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "too_many_requests";
                    };
                };
            };
        };
        /**
         * @description Service Unavailable: `write_conflict`, `feature_level`, `stopping`,
         * `overloaded`, `busy`, `clock_off`.
         */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "write_conflict" | "feature_level" | "stopping" | "overloaded" | "busy" | "clock_off";
                    };
                };
            };
        };
        /** @description Insufficient Storage: `disk_full`. */
        InsufficientStorage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "disk_full";
                    };
                };
            };
        };
        /**
         * @description 408 `header_too_slow`; 413 `chunk_too_large`; 417 `unknown_expectation`; 431
         * `header_too_large`, `too_many_fields`; 500 `internal`; 501 `unknown_coding`.
         */
        Otherwise: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error: {
                        /** @enum {string} */
                        code: "header_too_slow" | "chunk_too_large" | "unknown_expectation" | "header_too_large" | "too_many_fields" | "internal" | "unknown_coding";
                    };
                };
            };
        };
    };
    parameters: {
        /**
         * @description Makes a retry safe when a response was lost: for 24 hours, the same key and
         * body return the first response.
         */
        IdempotencyKey: string;
        /**
         * @description The ETag of an earlier read: the write fails with 412 when the domain or
         * document has changed since.
         */
        IfMatch: string;
        /**
         * @description The id of the last received event: the stream continues after it. Browsers
         * send it automatically.
         */
        LastEventId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of the request in the log and in the audit log. */
        "X-Request-Id": string;
        /**
         * @description The sequence number of the change; GET /api/v1/changes/{seq} lists the nodes
         * that serve it.
         */
        "X-Waypost-Revision": number;
        /**
         * @description This is the stored response to an earlier request with the same
         * Idempotency-Key.
         */
        "Idempotent-Replayed": "true";
        /** @description The revision of the domain or document, for If-Match. */
        ETag: string;
        /** @description The URL of the next page (RFC 8288). */
        Link: string;
        /**
         * @description The remaining quota: `"<name>";r=<requests>;t=<seconds until the quota is
         * full, or until the next request is allowed>`.
         */
        RateLimit: string;
        /** @description The limit: `"<name>";q=<requests>;w=<seconds>`. */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before a retry; wait longer after each failure. */
        "Retry-After": number;
        /** @description `Bearer`. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check that the process is alive */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the name of the node */
                        node: string;
                    };
                };
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description Check that the node is ready: all changes applied, all listeners open
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the name of the node */
                        node: string;
                        /** @description why the node is not ready */
                        reasons: string[];
                        /**
                         * @description problems that do not stop the node from serving, such as an
                         * etcd that does not respond
                         */
                        warnings: string[];
                        /**
                         * @description the state of the node in the cluster; omitted for a single
                         * node
                         */
                        cluster?: {
                            /** @description the state of the node */
                            state: "starting" | "following" | "catching_up" | "fetching" | "without_etcd" | "cut_off" | "stuck" | "lost";
                            /**
                             * @description the number of changes of other nodes that this node has
                             * not applied
                             */
                            lag_entries: number;
                            /**
                             * @description the time for which this node may be behind the other
                             * nodes
                             */
                            lag_seconds: number;
                            /** @description seconds since the last response of etcd */
                            etcd_seconds: number | null;
                            /**
                             * @description the feature level that all nodes have agreed on; null:
                             * etcd has not been read yet
                             */
                            feature_level: number | null;
                            /** @description nodes that have not applied all changes of this node */
                            pending: string[];
                        };
                        /** @description the backups of all nodes; omitted if none are configured */
                        backup?: {
                            /** @description the time of the latest backup (ISO 8601) */
                            latest: string | null;
                            /** @description the number of backups */
                            count: number;
                            /**
                             * @description the last change that the backups and the copied changes
                             * have
                             */
                            sequence: number;
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            /** @description Service Unavailable. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: false;
                        /** @description the name of the node */
                        node: string;
                        /** @description why the node is not ready */
                        reasons: string[];
                        /**
                         * @description problems that do not stop the node from serving, such as an
                         * etcd that does not respond
                         */
                        warnings: string[];
                        /**
                         * @description the state of the node in the cluster; omitted for a single
                         * node
                         */
                        cluster?: {
                            /** @description the state of the node */
                            state: "starting" | "following" | "catching_up" | "fetching" | "without_etcd" | "cut_off" | "stuck" | "lost";
                            /**
                             * @description the number of changes of other nodes that this node has
                             * not applied
                             */
                            lag_entries: number;
                            /**
                             * @description the time for which this node may be behind the other
                             * nodes
                             */
                            lag_seconds: number;
                            /** @description seconds since the last response of etcd */
                            etcd_seconds: number | null;
                            /**
                             * @description the feature level that all nodes have agreed on; null:
                             * etcd has not been read yet
                             */
                            feature_level: number | null;
                            /** @description nodes that have not applied all changes of this node */
                            pending: string[];
                        };
                        /** @description the backups of all nodes; omitted if none are configured */
                        backup?: {
                            /** @description the time of the latest backup (ISO 8601) */
                            latest: string | null;
                            /** @description the number of backups */
                            count: number;
                            /**
                             * @description the last change that the backups and the copied changes
                             * have
                             */
                            sequence: number;
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the nodes with their state, lag and version */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description sorted by name */
                        nodes: components["schemas"]["Node"][];
                        /**
                         * @description the sequence number of the last change that any of them
                         * serves
                         */
                        head: number;
                        /** @description null: etcd has not been read yet */
                        feature_level: number | null;
                        /**
                         * @description the storage of etcd; null: there is none, or it does not
                         * respond
                         */
                        etcd: components["schemas"]["EtcdStorage"] | null;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the metrics of this node */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `forbidden`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "forbidden" | "insufficient_scope";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    exchangeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string, the username or e-mail address */
                    login: string;
                    /** @description a string of at most 1024 characters */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                    /**
                     * @description a string of 1 to 200 characters on one line, the label of the
                     * token (default: date and client address)
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Log in with a password and get a token */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the token; it is shown only once */
                        token: string;
                        /** @description the prefix of the token, as shown in lists */
                        prefix: string;
                        user: {
                            /** @description the id of the account */
                            id: number;
                            username: string;
                            /** @description "admin", "user" or "viewer" */
                            role: string;
                            plan: string;
                        };
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json";
                        };
                    };
                };
            };
            /** @description Unauthorized: `bad_credentials`, `code_required`, `bad_code`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_credentials" | "code_required" | "bad_code";
                        };
                    };
                };
            };
            /** @description Forbidden: `api_disabled`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `token_limit`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "token_limit" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `too_many_requests`, `code_locked`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "too_many_requests" | "code_locked";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description the id of another account to act for; for administrators */
                account?: number;
                /** @description only items whose name or prefix contains this text, in any case */
                q?: string;
                /** @description the order, descending with "-"; the default is "id" */
                sort?: "id" | "-id" | "name" | "-name" | "created_at" | "-created_at" | "expires_at" | "-expires_at" | "last_used_at" | "-last_used_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the tokens of the account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the tokens of the account */
                        tokens: components["schemas"]["Token"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    createToken: {
        parameters: {
            query?: {
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of 1 to 200 characters on one line, the label of the
                     * token
                     */
                    name: string;
                    /** @description a list of scopes, such as ["dns", "account:read"] */
                    scopes?: string[];
                    /**
                     * @description the ids of the domains that the token gives access to, or null
                     * for all domains of the account
                     */
                    domains?: number[] | null;
                    /** @description a time as YYYY-MM-DD HH:MM:SS in UTC, or null */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Create a token */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the token; it is shown only once */
                        token: string;
                        /** @description the id of the token */
                        id: number;
                        /** @description the label of the token */
                        name: string;
                        /** @description the prefix of the token */
                        prefix: string;
                        /** @description the scopes of the token */
                        scopes: string[];
                        /**
                         * @description the only domains that the token gives access to; null: all
                         * domains of the account
                         */
                        domains: number[] | null;
                        /** @description whether the token exchange issued it for a password */
                        by_password: boolean;
                        /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description when it expires; null: never */
                        expires_at: string | null;
                        /**
                         * @description when it was last used, on other nodes to within 6 minutes;
                         * null: never
                         */
                        last_used_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `token_limit`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "token_limit" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_scope`, `invalid_time`, `no_such_domain`,
             * `validation`, `unknown_field`, `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_scope" | "invalid_time" | "no_such_domain" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the token */
                token_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke a token */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_token`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_token";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the dashboard session of the request */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        user: {
                            /** @description the id of the account */
                            id: number;
                            username: string;
                            /** @description "admin", "user" or "viewer" */
                            role: string;
                            plan: string;
                        };
                        /** @description the value of the header X-Waypost-CSRF */
                        csrf_token: string;
                        /**
                         * @description when the session ends unless it is used, as YYYY-MM-DD
                         * HH:MM:SS in UTC
                         */
                        expires_at: string;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_session`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_session";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string, the username or e-mail address */
                    login: string;
                    /** @description a string of at most 1024 characters */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Sign in to the dashboard */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        user: {
                            /** @description the id of the account */
                            id: number;
                            username: string;
                            /** @description "admin", "user" or "viewer" */
                            role: string;
                            plan: string;
                        };
                        /** @description the value of the header X-Waypost-CSRF */
                        csrf_token: string;
                        /**
                         * @description when the session ends unless it is used, as YYYY-MM-DD
                         * HH:MM:SS in UTC
                         */
                        expires_at: string;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json";
                        };
                    };
                };
            };
            /** @description Unauthorized: `bad_credentials`, `code_required`, `bad_code`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_credentials" | "code_required" | "bad_code";
                        };
                    };
                };
            };
            /** @description Forbidden: `api_disabled`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            409: components["responses"]["PlanLimit"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `too_many_requests`, `code_locked`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "too_many_requests" | "code_locked";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sign out: end the dashboard session of the request */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_session`, `no_such_session`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_session" | "no_such_session";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getPasskeySignInOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a challenge to sign in with a passkey */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description what the browser needs: the JSON form of the options of
                         * WebAuthn
                         */
                        options: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            /** @description Conflict: `passkeys_unavailable`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "passkeys_unavailable";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description the id of the credential, as base64url without padding */
                    credential: string;
                    /** @description clientDataJSON, as base64url without padding */
                    client_data: string;
                    /** @description authenticatorData, as base64url without padding */
                    authenticator_data: string;
                    /** @description the signature, as base64url without padding */
                    signature: string;
                    /** @description userHandle, as base64url without padding */
                    user_handle: string;
                };
            };
        };
        responses: {
            /** @description Sign in to the dashboard with a passkey */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        user: {
                            /** @description the id of the account */
                            id: number;
                            username: string;
                            /** @description "admin", "user" or "viewer" */
                            role: string;
                            plan: string;
                        };
                        /** @description the value of the header X-Waypost-CSRF */
                        csrf_token: string;
                        /**
                         * @description when the session ends unless it is used, as YYYY-MM-DD
                         * HH:MM:SS in UTC
                         */
                        expires_at: string;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json";
                        };
                    };
                };
            };
            /** @description Unauthorized: `bad_passkey`, `bad_challenge`. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_passkey" | "bad_challenge";
                        };
                    };
                };
            };
            /** @description Forbidden: `api_disabled`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `passkeys_unavailable`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "passkeys_unavailable" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /**
                 * @description only items whose address or User-Agent contains this text, in any
                 * case
                 */
                q?: string;
                /** @description the order, descending with "-"; the default is "id" */
                sort?: "id" | "-id" | "created_at" | "-created_at" | "last_used_at" | "-last_used_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the dashboard sessions of the account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the sessions of the account */
                        sessions: components["schemas"]["Session"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End all dashboard sessions of the account except that of the request */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the number of sessions that ended */
                        ended: number;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the session */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End a dashboard session of the account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_session`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_session";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listTsigKeys: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description the id of another account to act for; for administrators */
                account?: number;
                /** @description only items whose name contains this text, in any case */
                q?: string;
                /** @description the order, descending with "-"; the default is "id" */
                sort?: "id" | "-id" | "name" | "-name" | "created_at" | "-created_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the TSIG keys of the account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the TSIG keys of the account */
                        tsig_keys: components["schemas"]["TsigKey"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    createTsigKey: {
        parameters: {
            query?: {
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a domain name that both sides use for the key, such as
                     * "transfer.example.net"
                     */
                    name: string;
                    /**
                     * @description the algorithm of the signatures; the default is "hmac-sha256"
                     * @enum {string}
                     */
                    algorithm?: "hmac-sha256" | "hmac-sha512";
                    /**
                     * @description a list of "dns:read" (transfer zones) and "dns" (also update
                     * them)
                     */
                    scopes?: string[];
                    /**
                     * @description the ids of the domains that the key is valid for, or null for
                     * all domains of the account
                     */
                    domain_ids?: number[] | null;
                };
            };
        };
        responses: {
            /** @description Create a TSIG key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the secret in base64; it is shown only once */
                        secret: string;
                        /** @description the id of the key */
                        id: number;
                        /** @description its name, without the last dot */
                        name: string;
                        /**
                         * @description the algorithm of the signatures
                         * @enum {string}
                         */
                        algorithm: "hmac-sha256" | "hmac-sha512";
                        /** @description the scopes of the key */
                        scopes: string[];
                        /**
                         * @description the domains that the key is valid for; null: all domains of
                         * the account
                         */
                        domain_ids: number[] | null;
                        /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`, `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account" | "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `tsig_key_exists`, `tsig_key_limit`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "tsig_key_exists" | "tsig_key_limit" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_name`, `invalid_scope`, `validation`,
             * `unknown_field`, `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "invalid_scope" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteTsigKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the key */
                key_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a TSIG key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_tsig_key`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_tsig_key";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getOwnAccount: {
        parameters: {
            query?: {
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the account of the token and its usage */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        account: components["schemas"]["OwnAccount"];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    updateOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                    /** @description a string, an e-mail address, or null */
                    email: string | null;
                };
            };
        };
        responses: {
            /** @description Change the own e-mail address */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        account: components["schemas"]["OwnAccount"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `code_required`, `bad_code`,
             * `api_disabled`, `insufficient_scope`, `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "code_required" | "bad_code" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `email_taken`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "email_taken" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `code_locked`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "code_locked" | "too_many_requests";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /**
                 * @description only items whose username or e-mail address contains this text, in
                 * any case
                 */
                q?: string;
                /** @description the order, descending with "-"; the default is "id" */
                sort?: "id" | "-id" | "username" | "-username";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List all accounts */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description sorted by id, unless `sort` says otherwise */
                        accounts: components["schemas"]["Account"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of 1 to 63 letters, digits, dots, hyphens and
                     * underscores that begins with a letter or digit
                     */
                    username: string;
                    /** @description a string, an e-mail address, or null */
                    email?: string | null;
                    /** @description a string of 8 to 1024 characters */
                    password: string;
                    /**
                     * @description one of "admin", "user", "viewer"
                     * @enum {string}
                     */
                    role?: "admin" | "user" | "viewer";
                    /** @description a string, the name of a plan */
                    plan?: string;
                    /** @description true or false */
                    api_enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Create an account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        account: components["schemas"]["Account"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `username_taken`, `email_taken`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "username_taken" | "email_taken" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_plan`, `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_plan" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the account */
                account_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        account: components["schemas"]["Account"];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the account */
                account_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete an account, its tokens and its sessions */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            /** @description Conflict: `has_domains`, `has_apps`, `last_admin`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "has_domains" | "has_apps" | "last_admin" | "plan_limit";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the account */
                account_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of 1 to 63 letters, digits, dots, hyphens and
                     * underscores that begins with a letter or digit
                     */
                    username?: string;
                    /** @description a string, an e-mail address, or null */
                    email?: string | null;
                    /** @description a string of 8 to 1024 characters */
                    password?: string;
                    /**
                     * @description one of "admin", "user", "viewer"
                     * @enum {string}
                     */
                    role?: "admin" | "user" | "viewer";
                    /** @description a string, the name of a plan */
                    plan?: string;
                    /** @description true or false */
                    api_enabled?: boolean;
                    /**
                     * @description true to revoke all tokens of the account, together with a new
                     * password
                     */
                    revoke_tokens?: boolean;
                    /** @description as in the response; ignored */
                    readonly id?: unknown;
                    /** @description as in the response; ignored */
                    readonly created_at?: unknown;
                    /** @description as in the response; ignored */
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Change an account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        account: components["schemas"]["Account"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `username_taken`, `email_taken`, `last_admin`, `own_password`,
             * `own_email`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "username_taken" | "email_taken" | "last_admin" | "own_password" | "own_email" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_plan`, `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_plan" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listPlans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the plans of the configuration */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description as in the configuration */
                        plans: components["schemas"]["Plan"][];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getSecondFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the account */
                account_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get which second factors an account has */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description whether its sign-in needs a one-time code */
                        totp_enabled: boolean;
                        /** @description the number of its passkeys */
                        passkey_count: number;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    removeSecondFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the account */
                account_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove all second factors of an account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            /** @description Conflict: `own_account`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "own_account" | "plan_limit";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    changeOwnPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                    /** @description a string of 8 to 1024 characters */
                    new_password: string;
                    /**
                     * @description true to revoke all tokens of the account, except that of the
                     * request
                     */
                    revoke_tokens?: boolean;
                };
            };
        };
        responses: {
            /** @description Change the own password */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the number of dashboard sessions that ended */
                        sessions_ended: number;
                        /** @description the number of revoked tokens */
                        tokens_revoked: number;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `code_required`, `bad_code`,
             * `api_disabled`, `insufficient_scope`, `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "code_required" | "bad_code" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            409: components["responses"]["PlanLimit"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `code_locked`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "code_locked" | "too_many_requests";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get whether the own account has one-time codes */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        totp: components["schemas"]["Totp"];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Make a secret for one-time codes */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the secret in base32, to type it into an authenticator app;
                         * it is shown only once
                         */
                        secret: string;
                        /** @description the same as an otpauth address, for a QR code */
                        uri: string;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `totp_enabled`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "totp_enabled" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    disableTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Turn off one-time codes */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `code_required`, `bad_code`,
             * `api_disabled`, `insufficient_scope`, `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "code_required" | "bad_code" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `totp_disabled`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "totp_disabled" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `code_locked`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "code_locked" | "too_many_requests";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                    /** @description a code of the authenticator, 6 digits */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Turn on one-time codes with a first code */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description codes that work once each, in place of the authenticator;
                         * shown only once
                         */
                        recovery_codes: string[];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `bad_code`, `api_disabled`,
             * `insufficient_scope`, `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "bad_code" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `totp_enabled`, `totp_not_begun`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "totp_enabled" | "totp_not_begun" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Replace the recovery codes */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description codes that work once each, in place of the authenticator;
                         * shown only once
                         */
                        recovery_codes: string[];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `code_required`, `bad_code`,
             * `api_disabled`, `insufficient_scope`, `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "code_required" | "bad_code" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `totp_disabled`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "totp_disabled" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `code_locked`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "code_locked" | "too_many_requests";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listPasskeys: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the own passkeys */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the passkeys of the account */
                        passkeys: components["schemas"]["Passkey"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    createPasskey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of 1 to 200 characters on one line, the label of the
                     * passkey
                     */
                    name: string;
                    /** @description the id of the credential, as base64url without padding */
                    credential: string;
                    /** @description clientDataJSON, as base64url without padding */
                    client_data: string;
                    /** @description attestationObject, as base64url without padding */
                    attestation: string;
                    /** @description a list of transports, such as ["internal"] */
                    transports?: string[];
                };
            };
        };
        responses: {
            /** @description Add a passkey */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        passkey: components["schemas"]["Passkey"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `passkeys_unavailable`, `passkey_exists`, `passkey_limit`,
             * `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "passkeys_unavailable" | "passkey_exists" | "passkey_limit" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `bad_passkey`, `bad_challenge`, `validation`,
             * `unknown_field`, `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_passkey" | "bad_challenge" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getPasskeyOptions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Get a challenge to create a passkey */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description what the browser needs: the JSON form of the options of
                         * WebAuthn
                         */
                        options: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `code_required`, `bad_code`,
             * `api_disabled`, `insufficient_scope`, `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "code_required" | "bad_code" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `passkeys_unavailable`, `passkey_limit`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "passkeys_unavailable" | "passkey_limit" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `code_locked`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "code_locked" | "too_many_requests";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    deletePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the passkey */
                passkey_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 1024 characters, the current password of the
                     * account
                     */
                    password: string;
                    /**
                     * @description a code of the authenticator (6 digits) or a recovery code, if
                     * the account has a second factor
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Remove a passkey */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `wrong_password`, `code_required`, `bad_code`,
             * `api_disabled`, `insufficient_scope`, `restricted_token`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_password" | "code_required" | "bad_code" | "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_passkey`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_passkey";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            409: components["responses"]["PlanLimit"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `code_locked`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "code_locked" | "too_many_requests";
                        };
                    };
                };
            };
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the passkey */
                passkey_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of 1 to 200 characters on one line, the label of the
                     * passkey
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Rename a passkey */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        passkey: components["schemas"]["Passkey"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_passkey`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_passkey";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            409: components["responses"]["PlanLimit"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description only changes to this domain */
                domain?: string;
                /**
                 * @description only this action, or all actions with this prefix, such as "record"
                 */
                action?: string;
                /**
                 * @description only items whose action, domain, names, addresses or details
                 * contains this text, in any case
                 */
                q?: string;
                /**
                 * @description the id of the account whose entries are returned; for administrators
                 */
                account?: number;
                /** @description the id of the same as `account` */
                account_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the audit log, newest entries first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description newest first */
                        entries: components["schemas"]["AuditEntry"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getChange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the sequence number of a change */
                seq: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the nodes that serve a change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the requested sequence number */
                        seq: number;
                        /** @description the nodes that serve it */
                        applied: string[];
                        /** @description the nodes that do not serve it yet */
                        pending: string[];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_change`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_change";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: {
                /**
                 * @description The id of the last received event: the stream continues after it.
                 * Browsers send it automatically.
                 */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Receive changes as server-sent events */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `too_many_streams`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "too_many_streams" | "too_many_requests";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description the id of another account to act for; for administrators */
                account?: number;
                /**
                 * @description only items whose name, in A-labels or in Unicode, contains this
                 * text, in any case
                 */
                q?: string;
                /** @description the order, descending with "-"; the default is "domain" */
                sort?: "domain" | "-domain" | "created_at" | "-created_at" | "updated_at" | "-updated_at" | "record_count" | "-record_count";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List domains */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description sorted by name, in canonical order, unless `sort` says
                         * otherwise
                         */
                        domains: components["schemas"]["ListedDomain"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    createDomain: {
        parameters: {
            query?: {
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string, a domain name such as "example.com" */
                    domain: string;
                    /**
                     * @description "primary" (the default), "secondary", a zone that is transferred
                     * from primaries, or "catalog", one that lists the other domains (RFC 9432)
                     * @enum {string}
                     */
                    kind?: "primary" | "secondary" | "catalog";
                    /** @description a list of 1 to 8 primaries; they are asked in this order */
                    primaries?: {
                        /**
                         * @description an IP address, with a port if it is not 53, or 853 with TLS,
                         * such as "192.0.2.1"
                         */
                        address: string;
                        /** @description the id of the TSIG key that signs requests; null: none */
                        tsig_key_id?: number | null;
                        /**
                         * @description how the zone is transferred over TLS (RFC 9103); null: over
                         * TCP
                         */
                        tls?: {
                            /** @description the name in the certificate */
                            name?: string | null;
                            /**
                             * @description the SHA-256 of the public key (SPKI) of the certificate,
                             * in Base64
                             */
                            pin?: string | null;
                            /**
                             * @description true to accept any certificate; then neither name nor
                             * pin is set
                             */
                            opportunistic?: boolean;
                        } | null;
                    }[];
                    /**
                     * @description true if the secondary zone is a catalog (RFC 9432), whose
                     * members become secondary zones as well
                     */
                    catalog?: boolean;
                    /**
                     * @description "account" (the default), so that a catalog lists the domains of
                     * its account, or "all", for administrators
                     * @enum {string}
                     */
                    members?: "account" | "all";
                };
            };
        };
        responses: {
            /** @description Create a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: components["schemas"]["Domain"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `zone_exists`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "zone_exists" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_domain`, `invalid_name`, `public_suffix`,
             * `service_name`, `special_use_name`, `contradiction`, `invalid_primary`,
             * `private_primary`, `unknown_tsig_key`, `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_domain" | "invalid_name" | "public_suffix" | "service_name" | "special_use_name" | "contradiction" | "invalid_primary" | "private_primary" | "unknown_tsig_key" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: components["schemas"]["Domain"];
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteDomain: {
        parameters: {
            query?: {
                /**
                 * @description true to delete the domain although its parent zone has a DS record
                 */
                force?: boolean;
            };
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a domain with all its records */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /** @description Conflict: `dnssec_ds_present`, `listed_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "dnssec_ds_present" | "listed_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    replacePrimaries: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a list of 1 to 8 primaries; they are asked in this order */
                    primaries: {
                        /**
                         * @description an IP address, with a port if it is not 53, or 853 with TLS,
                         * such as "192.0.2.1"
                         */
                        address: string;
                        /** @description the id of the TSIG key that signs requests; null: none */
                        tsig_key_id?: number | null;
                        /**
                         * @description how the zone is transferred over TLS (RFC 9103); null: over
                         * TCP
                         */
                        tls?: {
                            /** @description the name in the certificate */
                            name?: string | null;
                            /**
                             * @description the SHA-256 of the public key (SPKI) of the certificate,
                             * in Base64
                             */
                            pin?: string | null;
                            /**
                             * @description true to accept any certificate; then neither name nor
                             * pin is set
                             */
                            opportunistic?: boolean;
                        } | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description Replace the primaries of a secondary zone */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: components["schemas"]["Domain"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `not_secondary`, `listed_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "not_secondary" | "listed_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `contradiction`, `invalid_primary`,
             * `private_primary`, `unknown_tsig_key`, `validation`, `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "contradiction" | "invalid_primary" | "private_primary" | "unknown_tsig_key" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    transferZone: {
        parameters: {
            query?: {
                /**
                 * @description true to transfer the whole zone, also if its serial is older or the
                 * same
                 */
                force?: boolean;
            };
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask the primaries of a secondary zone now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: components["schemas"]["Domain"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /** @description Conflict: `not_secondary`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "not_secondary" | "plan_limit";
                        };
                    };
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getDelegation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the delegation of a domain, as it was last seen */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name */
                            domain: string;
                        };
                        /**
                         * @description "live": the parent zone has these nameservers; "partial":
                         * some of them, or others as well; "elsewhere": others only; "none": no
                         * nameservers; "unknown": the parent has not been asked or has not answered
                         * @enum {string}
                         */
                        state: "live" | "partial" | "elsewhere" | "none" | "unknown";
                        /** @description the nameservers that the parent zone should have */
                        expected: string[];
                        /** @description the nameservers that its servers have */
                        seen: string[];
                        /**
                         * @description expected nameservers that at least one of its servers does
                         * not have
                         */
                        missing: string[];
                        /** @description nameservers that it has, although they are not expected */
                        extra: string[];
                        /**
                         * @description the parent zone; empty for the root zone; null: not found
                         * yet
                         */
                        parent: string | null;
                        /** @description when the parent zone last answered; null: never */
                        checked_at: string | null;
                        /**
                         * @description when it is asked again in the background; null: not known
                         */
                        next_check_at: string | null;
                        /** @description why the last check failed, or null */
                        error: string | null;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    checkDelegation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask the parent zone now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name */
                            domain: string;
                        };
                        /**
                         * @description "live": the parent zone has these nameservers; "partial":
                         * some of them, or others as well; "elsewhere": others only; "none": no
                         * nameservers; "unknown": the parent has not been asked or has not answered
                         * @enum {string}
                         */
                        state: "live" | "partial" | "elsewhere" | "none" | "unknown";
                        /** @description the nameservers that the parent zone should have */
                        expected: string[];
                        /** @description the nameservers that its servers have */
                        seen: string[];
                        /**
                         * @description expected nameservers that at least one of its servers does
                         * not have
                         */
                        missing: string[];
                        /** @description nameservers that it has, although they are not expected */
                        extra: string[];
                        /**
                         * @description the parent zone; empty for the root zone; null: not found
                         * yet
                         */
                        parent: string | null;
                        /** @description when the parent zone last answered; null: never */
                        checked_at: string | null;
                        /**
                         * @description when it is asked again in the background; null: not known
                         */
                        next_check_at: string | null;
                        /** @description why the last check failed, or null */
                        error: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description only records with this name, written as in a record */
                name?: string;
                /** @description only records of this type */
                type?: string;
                /** @description only records with this content, in any equivalent spelling */
                content?: string;
                /**
                 * @description only items whose name, content or comment contains this text, in any
                 * case
                 */
                q?: string;
                /** @description the order, descending with "-"; the default is "name" */
                sort?: "name" | "-name";
            };
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List records */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description sorted by name, in canonical order */
                        records: components["schemas"]["Record"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`, `bad_escape`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /**
             * @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "name_outside" | "invalid_type";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    createRecord: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRecord"];
            };
        };
        responses: {
            /** @description Create a record */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        record: components["schemas"]["Record"];
                        /**
                         * @description targets of written ALIAS records, and of CNAME records at
                         * proxied names, that have no address that may be served; as far as lookups
                         * end within a second; omitted when there are none
                         */
                        warnings?: components["schemas"]["RecordWarning"][];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `cname_at_apex`,
             * `cname_conflict`, `alias_conflict`, `dname_conflict`, `record_exists`, `occluded`,
             * `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "cname_at_apex" | "cname_conflict" | "alias_conflict" | "dname_conflict" | "record_exists" | "occluded" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`,
             * `invalid_content`, `invalid_ttl`, `invalid_host`, `not_proxiable`, `target_is_cname`,
             * `soa_is_ours`, `dnssec_is_ours`, `apex_ns_is_ours`, `ds_at_apex`, `ns_at_wildcard`,
             * `too_many_types`, `rrset_too_large`, `name_too_large`, `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "name_outside" | "invalid_type" | "invalid_content" | "invalid_ttl" | "invalid_host" | "not_proxiable" | "target_is_cname" | "soa_is_ours" | "dnssec_is_ours" | "apex_ns_is_ours" | "ds_at_apex" | "ns_at_wildcard" | "too_many_types" | "rrset_too_large" | "name_too_large" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    replaceRecord: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the id of the record */
                record_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRecord"];
            };
        };
        responses: {
            /** @description Replace a record */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        record: components["schemas"]["Record"];
                        /**
                         * @description targets of written ALIAS records, and of CNAME records at
                         * proxied names, that have no address that may be served; as far as lookups
                         * end within a second; omitted when there are none
                         */
                        warnings?: components["schemas"]["RecordWarning"][];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_record`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_record";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `cname_at_apex`,
             * `cname_conflict`, `alias_conflict`, `dname_conflict`, `record_exists`, `occluded`,
             * `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "cname_at_apex" | "cname_conflict" | "alias_conflict" | "dname_conflict" | "record_exists" | "occluded" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`,
             * `invalid_content`, `invalid_ttl`, `invalid_host`, `not_proxiable`, `target_is_cname`,
             * `soa_is_ours`, `dnssec_is_ours`, `apex_ns_is_ours`, `ds_at_apex`, `ns_at_wildcard`,
             * `too_many_types`, `rrset_too_large`, `name_too_large`, `validation`, `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "name_outside" | "invalid_type" | "invalid_content" | "invalid_ttl" | "invalid_host" | "not_proxiable" | "target_is_cname" | "soa_is_ours" | "dnssec_is_ours" | "apex_ns_is_ours" | "ds_at_apex" | "ns_at_wildcard" | "too_many_types" | "rrset_too_large" | "name_too_large" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteRecord: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the id of the record */
                record_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a record */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_record`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_record";
                        };
                    };
                };
            };
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            /** @description Unprocessable Entity: `apex_ns_is_ours`, `dnssec_is_ours`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "apex_ns_is_ours" | "dnssec_is_ours";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    changeRecords: {
        parameters: {
            query?: {
                /**
                 * @description "true" changes nothing, and returns in `preview` what would change;
                 * "false" is the default
                 */
                dry_run?: "true" | "false";
            };
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a list of record ids */
                    delete?: number[];
                    /** @description a list of records, each with the id of the record to replace */
                    put?: {
                        /**
                         * @description a string, the name in the domain, such as "www"; "@" is the
                         * apex
                         */
                        name: string;
                        /** @description a string, the type of the record, such as "A" */
                        type: string;
                        /** @description a string, such as "192.0.2.1" */
                        content: string;
                        /**
                         * @description a whole number of seconds, 30 to 604800, or 1 for the
                         * default
                         */
                        ttl?: number;
                        /** @description a whole number from 0 to 65535; used for MX and SRV */
                        priority?: number | null;
                        /**
                         * @description true or false, whether the name is proxied while the proxy
                         * of the domain is on; null: the service decides
                         */
                        proxied?: boolean | null;
                        /**
                         * @description a string of at most 1000 characters for people to read,
                         * which all records of the name and type share; null: none
                         */
                        comment?: string | null;
                        /** @description a whole number, the id of a record */
                        id: number;
                        /** @description as in the response; ignored */
                        readonly data?: unknown;
                        /** @description as in the response; ignored */
                        readonly alias?: unknown;
                        /** @description as in the response; ignored */
                        readonly warnings?: unknown;
                        /** @description as in the response; ignored */
                        readonly created_at?: unknown;
                        /** @description as in the response; ignored */
                        readonly updated_at?: unknown;
                    }[];
                    /** @description a list of new records */
                    post?: components["schemas"]["NewRecord"][];
                };
            };
        };
        responses: {
            /** @description Change many records in one batch */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the ids of the deleted records; empty with "dry_run" */
                        deleted: number[];
                        /** @description in the order of "put"; empty with "dry_run" */
                        updated: components["schemas"]["Record"][];
                        /** @description in the order of "post"; empty with "dry_run" */
                        created: components["schemas"]["Record"][];
                        /**
                         * @description targets of written ALIAS records, and of CNAME records at
                         * proxied names, that have no address that may be served; as far as lookups
                         * end within a second; omitted when there are none
                         */
                        warnings?: components["schemas"]["RecordWarning"][];
                        /**
                         * @description the number of further warnings; omitted when there are none
                         */
                        warnings_omitted?: number;
                        preview?: components["schemas"]["BatchPreview"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_dry_run`, `bad_request`, `bad_escape`,
             * `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_dry_run" | "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_record`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_record";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `cname_at_apex`,
             * `cname_conflict`, `alias_conflict`, `dname_conflict`, `record_exists`, `occluded`,
             * `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "cname_at_apex" | "cname_conflict" | "alias_conflict" | "dname_conflict" | "record_exists" | "occluded" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`,
             * `invalid_content`, `invalid_ttl`, `invalid_host`, `not_proxiable`, `target_is_cname`,
             * `soa_is_ours`, `dnssec_is_ours`, `apex_ns_is_ours`, `ds_at_apex`, `ns_at_wildcard`,
             * `too_many_types`, `rrset_too_large`, `name_too_large`, `batch_too_large`,
             * `named_twice`, `validation`, `unknown_field`, `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "name_outside" | "invalid_type" | "invalid_content" | "invalid_ttl" | "invalid_host" | "not_proxiable" | "target_is_cname" | "soa_is_ours" | "dnssec_is_ours" | "apex_ns_is_ours" | "ds_at_apex" | "ns_at_wildcard" | "too_many_types" | "rrset_too_large" | "name_too_large" | "batch_too_large" | "named_twice" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    exportZone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export the domain as a zone file (RFC 1035 section 5) */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/dns": string;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    importZone: {
        parameters: {
            query?: {
                /**
                 * @description "true" changes nothing, and returns in `preview` what would change;
                 * "false" is the default
                 */
                dry_run?: "true" | "false";
                /**
                 * @description with `dry_run`, the maximum number of listed records of each kind, 1
                 * to 10000; the default is 100
                 */
                limit?: number;
                /**
                 * @description "keep" uses the SOA timers and apex NS of the file, "service" (the
                 * default) ignores them
                 */
                apex?: "keep" | "service";
                /**
                 * @description "true" treats warnings as errors, so nothing is imported; "false" is
                 * the default
                 */
                strict?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/dns": string;
                "text/plain": string;
            };
        };
        responses: {
            /** @description Replace all records with those of a zone file */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: components["schemas"]["Domain"];
                        /**
                         * @description the number of records in the zone, without its SOA; with
                         * "dry_run", after the import
                         */
                        records: number;
                        /**
                         * @description questionable lines that were imported, or ignored as other
                         * servers do, sorted by line, at most 1000; omitted when there are none
                         */
                        warnings?: components["schemas"]["ImportWarning"][];
                        /**
                         * @description the number of further warnings; omitted when there are none
                         */
                        warnings_omitted?: number;
                        preview?: components["schemas"]["ImportPreview"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_apex`, `invalid_strict`, `invalid_dry_run`,
             * `invalid_limit`, `bad_request`, `bad_escape`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_apex" | "invalid_strict" | "invalid_dry_run" | "invalid_limit" | "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_zonefile`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_zonefile";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `busy`, `write_conflict`, `feature_level`,
             * `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listHistory: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /**
                 * @description only items whose actor, action or one of its records contains this
                 * text, in any case
                 */
                q?: string;
            };
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description List the changes of a domain with the values before and after, newest
             * first
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description newest first */
                        changes: components["schemas"]["DomainChange"][];
                        /**
                         * @description the earliest change after which the state can be restored
                         */
                        begin: number;
                        /**
                         * @description whether the history reaches back to the creation of the
                         * domain
                         */
                        is_complete: boolean;
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`,
             * `bad_escape`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    restoreRecords: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the sequence number of a change */
                seq: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description true or false; true only returns what would change */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /**
             * @description Restore the records and their comments to their state after an earlier
             * change, in one batch
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the sequence number whose state is restored */
                        seq: number;
                        /** @description whether nothing was changed */
                        dry_run: boolean;
                        /**
                         * @description the changed records, at most 1,000, and fewer if they are
                         * long
                         */
                        records: components["schemas"]["RecordChange"][];
                        /** @description the number of changed records */
                        record_count: number;
                        /** @description the changed comments of records */
                        comments: components["schemas"]["CommentChange"][];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_change`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_change";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `history_incomplete`,
             * `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "history_incomplete" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `batch_too_large`, `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "batch_too_large" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getDnssec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description Get the DNSSEC state of a domain: its keys, the DS records to set, and
             * what the parent zone has
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        /**
                         * @description the state of the zone: see the manual, DNSSEC
                         * @enum {string}
                         */
                        status: "off" | "signing" | "awaiting_ds" | "secure" | "rolling_publish" | "rolling_ds" | "rolling_resign" | "retire" | "removing_ds";
                        /** @description the algorithm of the keys; null: the zone is not signed */
                        algorithm: number | null;
                        /**
                         * @description what you have to do, or what comes next; null while DNSSEC
                         * is off
                         */
                        next_step: string | null;
                        /**
                         * @description when the state changes; null: it depends on you or on the
                         * parent, as YYYY-MM-DD HH:MM:SS in UTC
                         */
                        next_at: string | null;
                        /** @description the keys of the zone */
                        keys: components["schemas"]["DnssecKey"][];
                        /** @description the DS records that the parent zone should have */
                        ds: components["schemas"]["DsRecord"][];
                        /**
                         * @description the same keys as DNSKEY records, which some registrars
                         * require in place of DS
                         */
                        dnskey: components["schemas"]["DnskeyRecord"][];
                        /** @description what the parent zone has; null: it was not asked yet */
                        parent: components["schemas"]["DnssecParent"] | null;
                        signatures: {
                            /**
                             * @description when the first signature expires; all are replaced long
                             * before, as YYYY-MM-DD HH:MM:SS in UTC
                             */
                            earliest_expiry: string | null;
                        };
                        /**
                         * @description what is wrong at the parent zone or with the signatures; or
                         * null
                         */
                        error: components["schemas"]["DnssecError"] | null;
                        /** @description what to enter at the registrar, step by step */
                        instructions: string[];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    setDnssec: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description true or false, whether to sign the zone */
                    enabled: boolean;
                    /**
                     * @description the algorithm of the keys: 13 (ECDSA P-256 with SHA-256, the
                     * default) or 15 (Ed25519); it can be changed only while DNSSEC is off
                     */
                    algorithm?: number;
                    /**
                     * @description only with "enabled": false; true to stop while the parent has a
                     * DS record, which CDS records ask to remove; or, if it has none or cannot be
                     * asked, to stop at once although resolvers may have it in their caches
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Sign the zone, or stop signing it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        /**
                         * @description the state of the zone: see the manual, DNSSEC
                         * @enum {string}
                         */
                        status: "off" | "signing" | "awaiting_ds" | "secure" | "rolling_publish" | "rolling_ds" | "rolling_resign" | "retire" | "removing_ds";
                        /** @description the algorithm of the keys; null: the zone is not signed */
                        algorithm: number | null;
                        /**
                         * @description what you have to do, or what comes next; null while DNSSEC
                         * is off
                         */
                        next_step: string | null;
                        /**
                         * @description when the state changes; null: it depends on you or on the
                         * parent, as YYYY-MM-DD HH:MM:SS in UTC
                         */
                        next_at: string | null;
                        /** @description the keys of the zone */
                        keys: components["schemas"]["DnssecKey"][];
                        /** @description the DS records that the parent zone should have */
                        ds: components["schemas"]["DsRecord"][];
                        /**
                         * @description the same keys as DNSKEY records, which some registrars
                         * require in place of DS
                         */
                        dnskey: components["schemas"]["DnskeyRecord"][];
                        /** @description what the parent zone has; null: it was not asked yet */
                        parent: components["schemas"]["DnssecParent"] | null;
                        signatures: {
                            /**
                             * @description when the first signature expires; all are replaced long
                             * before, as YYYY-MM-DD HH:MM:SS in UTC
                             */
                            earliest_expiry: string | null;
                        };
                        /**
                         * @description what is wrong at the parent zone or with the signatures; or
                         * null
                         */
                        error: components["schemas"]["DnssecError"] | null;
                        /** @description what to enter at the registrar, step by step */
                        instructions: string[];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `dnssec_ds_present`,
             * `dnssec_rolling`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "dnssec_ds_present" | "dnssec_rolling" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `bad_algorithm`, `invalid_name`, `validation`,
             * `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_algorithm" | "invalid_name" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    checkDnssec: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ask the nameservers of the parent zone for the DS records now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        /**
                         * @description the state of the zone: see the manual, DNSSEC
                         * @enum {string}
                         */
                        status: "off" | "signing" | "awaiting_ds" | "secure" | "rolling_publish" | "rolling_ds" | "rolling_resign" | "retire" | "removing_ds";
                        /** @description the algorithm of the keys; null: the zone is not signed */
                        algorithm: number | null;
                        /**
                         * @description what you have to do, or what comes next; null while DNSSEC
                         * is off
                         */
                        next_step: string | null;
                        /**
                         * @description when the state changes; null: it depends on you or on the
                         * parent, as YYYY-MM-DD HH:MM:SS in UTC
                         */
                        next_at: string | null;
                        /** @description the keys of the zone */
                        keys: components["schemas"]["DnssecKey"][];
                        /** @description the DS records that the parent zone should have */
                        ds: components["schemas"]["DsRecord"][];
                        /**
                         * @description the same keys as DNSKEY records, which some registrars
                         * require in place of DS
                         */
                        dnskey: components["schemas"]["DnskeyRecord"][];
                        /** @description what the parent zone has; null: it was not asked yet */
                        parent: components["schemas"]["DnssecParent"] | null;
                        signatures: {
                            /**
                             * @description when the first signature expires; all are replaced long
                             * before, as YYYY-MM-DD HH:MM:SS in UTC
                             */
                            earliest_expiry: string | null;
                        };
                        /**
                         * @description what is wrong at the parent zone or with the signatures; or
                         * null
                         */
                        error: components["schemas"]["DnssecError"] | null;
                        /** @description what to enter at the registrar, step by step */
                        instructions: string[];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `dnssec_off`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "dnssec_off" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    resignDnssec: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sign all names of a zone again, with times by the present clock */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        /**
                         * @description the state of the zone: see the manual, DNSSEC
                         * @enum {string}
                         */
                        status: "off" | "signing" | "awaiting_ds" | "secure" | "rolling_publish" | "rolling_ds" | "rolling_resign" | "retire" | "removing_ds";
                        /** @description the algorithm of the keys; null: the zone is not signed */
                        algorithm: number | null;
                        /**
                         * @description what you have to do, or what comes next; null while DNSSEC
                         * is off
                         */
                        next_step: string | null;
                        /**
                         * @description when the state changes; null: it depends on you or on the
                         * parent, as YYYY-MM-DD HH:MM:SS in UTC
                         */
                        next_at: string | null;
                        /** @description the keys of the zone */
                        keys: components["schemas"]["DnssecKey"][];
                        /** @description the DS records that the parent zone should have */
                        ds: components["schemas"]["DsRecord"][];
                        /**
                         * @description the same keys as DNSKEY records, which some registrars
                         * require in place of DS
                         */
                        dnskey: components["schemas"]["DnskeyRecord"][];
                        /** @description what the parent zone has; null: it was not asked yet */
                        parent: components["schemas"]["DnssecParent"] | null;
                        signatures: {
                            /**
                             * @description when the first signature expires; all are replaced long
                             * before, as YYYY-MM-DD HH:MM:SS in UTC
                             */
                            earliest_expiry: string | null;
                        };
                        /**
                         * @description what is wrong at the parent zone or with the signatures; or
                         * null
                         */
                        error: components["schemas"]["DnssecError"] | null;
                        /** @description what to enter at the registrar, step by step */
                        instructions: string[];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `dnssec_off`,
             * `dnssec_rolling`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "dnssec_off" | "dnssec_rolling" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    startDnssecRollover: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description true if the private key may be known to others: both DS records
                     * may be set at once, and margins are short
                     */
                    emergency?: boolean;
                };
            };
        };
        responses: {
            /** @description Replace the key of the zone */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        /**
                         * @description the state of the zone: see the manual, DNSSEC
                         * @enum {string}
                         */
                        status: "off" | "signing" | "awaiting_ds" | "secure" | "rolling_publish" | "rolling_ds" | "rolling_resign" | "retire" | "removing_ds";
                        /** @description the algorithm of the keys; null: the zone is not signed */
                        algorithm: number | null;
                        /**
                         * @description what you have to do, or what comes next; null while DNSSEC
                         * is off
                         */
                        next_step: string | null;
                        /**
                         * @description when the state changes; null: it depends on you or on the
                         * parent, as YYYY-MM-DD HH:MM:SS in UTC
                         */
                        next_at: string | null;
                        /** @description the keys of the zone */
                        keys: components["schemas"]["DnssecKey"][];
                        /** @description the DS records that the parent zone should have */
                        ds: components["schemas"]["DsRecord"][];
                        /**
                         * @description the same keys as DNSKEY records, which some registrars
                         * require in place of DS
                         */
                        dnskey: components["schemas"]["DnskeyRecord"][];
                        /** @description what the parent zone has; null: it was not asked yet */
                        parent: components["schemas"]["DnssecParent"] | null;
                        signatures: {
                            /**
                             * @description when the first signature expires; all are replaced long
                             * before, as YYYY-MM-DD HH:MM:SS in UTC
                             */
                            earliest_expiry: string | null;
                        };
                        /**
                         * @description what is wrong at the parent zone or with the signatures; or
                         * null
                         */
                        error: components["schemas"]["DnssecError"] | null;
                        /** @description what to enter at the registrar, step by step */
                        instructions: string[];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `dnssec_off`,
             * `dnssec_rolling`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "dnssec_off" | "dnssec_rolling" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    cancelDnssecRollover: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a rollover, as long as the new key does not sign the zone */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        /**
                         * @description the state of the zone: see the manual, DNSSEC
                         * @enum {string}
                         */
                        status: "off" | "signing" | "awaiting_ds" | "secure" | "rolling_publish" | "rolling_ds" | "rolling_resign" | "retire" | "removing_ds";
                        /** @description the algorithm of the keys; null: the zone is not signed */
                        algorithm: number | null;
                        /**
                         * @description what you have to do, or what comes next; null while DNSSEC
                         * is off
                         */
                        next_step: string | null;
                        /**
                         * @description when the state changes; null: it depends on you or on the
                         * parent, as YYYY-MM-DD HH:MM:SS in UTC
                         */
                        next_at: string | null;
                        /** @description the keys of the zone */
                        keys: components["schemas"]["DnssecKey"][];
                        /** @description the DS records that the parent zone should have */
                        ds: components["schemas"]["DsRecord"][];
                        /**
                         * @description the same keys as DNSKEY records, which some registrars
                         * require in place of DS
                         */
                        dnskey: components["schemas"]["DnskeyRecord"][];
                        /** @description what the parent zone has; null: it was not asked yet */
                        parent: components["schemas"]["DnssecParent"] | null;
                        signatures: {
                            /**
                             * @description when the first signature expires; all are replaced long
                             * before, as YYYY-MM-DD HH:MM:SS in UTC
                             */
                            earliest_expiry: string | null;
                        };
                        /**
                         * @description what is wrong at the parent zone or with the signatures; or
                         * null
                         */
                        error: components["schemas"]["DnssecError"] | null;
                        /** @description what to enter at the registrar, step by step */
                        instructions: string[];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `dnssec_off`,
             * `dnssec_rolling`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "dnssec_off" | "dnssec_rolling" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listForeignKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the keys of other providers among the DNSKEY records */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the keys of other providers among the DNSKEY records */
                        foreign_keys: components["schemas"]["ForeignKey"][];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    addForeignKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string, the rdata of a DNSKEY record: flags, protocol,
                     * algorithm and public key, such as "257 3 15
                     * l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4="
                     */
                    dnskey: string;
                };
            };
        };
        responses: {
            /** @description Add the key of another provider to the DNSKEY records */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        foreign_key: components["schemas"]["ForeignKey"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `dnssec_off`,
             * `foreign_key_limit`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "dnssec_off" | "foreign_key_limit" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `bad_dnskey`, `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_dnskey" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteForeignKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the id of the foreign_key */
                foreign_key_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete the key of another provider */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_key`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_key";
                        };
                    };
                };
            };
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listCertificates: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description "problems" omits certificates that need no attention */
                only?: "problems";
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the certificates of the domains whose proxy is on */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description sorted by name of the domain, in canonical order */
                        certificates: components["schemas"]["ListedCertificate"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_only`, `invalid_limit`, `invalid_cursor`,
             * `bad_request`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_only" | "invalid_limit" | "invalid_cursor" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getProxy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description Get the proxy of a domain: its state, origin, certificate, and names
             * that reveal the origin
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    setProxyOrigin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string, a public IPv4 or IPv6 address or a host name, such as
                     * "origin.example.net"
                     */
                    origin?: string;
                    /**
                     * @description a string, a public IPv4 or IPv6 address or a host name, such as
                     * "origin.example.net"; another name of "origin"; "" counts as omitted
                     */
                    origin_host?: string;
                    /** @description a whole number from 1 to 65535; the default is 443 */
                    port?: number;
                    /** @description a whole number from 1 to 65535; another name of "port" */
                    origin_port?: number;
                    /**
                     * @description "http" or "https"; the default is https for port 443 and http
                     * for port 80
                     * @enum {string}
                     */
                    protocol?: "http" | "https";
                    /**
                     * @description "http" or "https"; another name of "protocol"
                     * @enum {string}
                     */
                    origin_protocol?: "http" | "https";
                    /**
                     * @description null or a whole number of seconds, at most 63072000, for the
                     * max-age of HSTS (Strict-Transport-Security, RFC 6797); 0 revokes HSTS in
                     * browsers, null sends no header; omit it to keep the value
                     */
                    hsts_max_age?: number | null;
                    /**
                     * @description true or false, whether HSTS holds for all names below the host
                     * too (includeSubDomains); omit it to keep the value
                     */
                    hsts_include_subdomains?: boolean;
                    /**
                     * @description true or false, whether browsers may include the domain in their
                     * preload lists (preload), which requires hsts_include_subdomains and an
                     * hsts_max_age of at least a year; omit it to keep the value
                     */
                    hsts_preload?: boolean;
                    /**
                     * @description true or false, whether the cache also uses heuristic freshness
                     * (RFC 9111 section 4.2.2) for requests with Cookie or Authorization, URLs with
                     * a query, and responses with Pragma or Vary: Cookie; omit it to keep the value
                     */
                    heuristic_freshness?: boolean;
                    /** @description as in the response; ignored */
                    readonly domain_id?: unknown;
                    /** @description as in the response; ignored */
                    readonly is_enabled?: unknown;
                    /** @description as in the response; ignored */
                    readonly ssl_status?: unknown;
                    /** @description as in the response; ignored */
                    readonly ssl_issued_at?: unknown;
                    /** @description as in the response; ignored */
                    readonly ssl_expires_at?: unknown;
                    /** @description as in the response; ignored */
                    readonly ssl_error?: unknown;
                    /** @description as in the response; ignored */
                    readonly certificate?: unknown;
                    /** @description as in the response; ignored */
                    readonly exposed?: unknown;
                    /** @description as in the response; ignored */
                    readonly warnings?: unknown;
                };
            };
        };
        responses: {
            /** @description Set the origin: the web server behind the proxy */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_origin`, `private_origin`, `origin_loop`,
             * `origin_unresolvable`, `protocol_required`, `contradiction`, `hsts_preload`,
             * `validation`, `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_origin" | "private_origin" | "origin_loop" | "origin_unresolvable" | "protocol_required" | "contradiction" | "hsts_preload" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `busy`, `resolver_unavailable`, `write_conflict`,
             * `feature_level`, `stopping`, `overloaded`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy" | "resolver_unavailable" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    updateProxy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description null or a whole number of seconds, at most 63072000, for the
                     * max-age of HSTS (Strict-Transport-Security, RFC 6797); 0 revokes HSTS in
                     * browsers, null sends no header; omit it to keep the value
                     */
                    hsts_max_age?: number | null;
                    /**
                     * @description true or false, whether HSTS holds for all names below the host
                     * too (includeSubDomains); omit it to keep the value
                     */
                    hsts_include_subdomains?: boolean;
                    /**
                     * @description true or false, whether browsers may include the domain in their
                     * preload lists (preload), which requires hsts_include_subdomains and an
                     * hsts_max_age of at least a year; omit it to keep the value
                     */
                    hsts_preload?: boolean;
                    /**
                     * @description true or false, whether the cache also uses heuristic freshness
                     * (RFC 9111 section 4.2.2) for requests with Cookie or Authorization, URLs with
                     * a query, and responses with Pragma or Vary: Cookie; omit it to keep the value
                     */
                    heuristic_freshness?: boolean;
                };
            };
        };
        responses: {
            /**
             * @description Change settings of the proxy other than the origin: HSTS and heuristic
             * freshness
             */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `hsts_preload`, `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "hsts_preload" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    toggleProxy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description true or false, whether to turn the proxy on */
                    enable: boolean;
                };
            };
        };
        responses: {
            /** @description Turn the proxy on or off */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    setCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a string of at most 65536 characters, the certificate in PEM
                     * form with its chain, leaf first
                     */
                    certificate: string;
                    /**
                     * @description a string of at most 65536 characters, its private key in PEM
                     * form
                     */
                    private_key: string;
                };
            };
        };
        responses: {
            /** @description Upload your own certificate */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_certificate`, `invalid_private_key`,
             * `unsupported_key`, `key_mismatch`, `certificate_chain`, `certificate_expired`,
             * `certificate_not_yet_valid`, `certificate_names`, `certificate_usage`,
             * `certificate_must_staple`, `validation`, `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_certificate" | "invalid_private_key" | "unsupported_key" | "key_mismatch" | "certificate_chain" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_names" | "certificate_usage" | "certificate_must_staple" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    orderCertificate: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Order a new certificate now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /**
             * @description Conflict: `secondary_zone`, `catalog_zone`, `proxy_disabled`,
             * `certificate_custom`, `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "proxy_disabled" | "certificate_custom" | "plan_limit";
                        };
                    };
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replace your own certificate with an automatic one */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        domain: {
                            /** @description the id of the domain */
                            id: number;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_certificate`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_certificate";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    purgeCache: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description a list of 1 to 100 strings, each a full URL, such as
                     * "https://www.example.com/a.css"; if all lists are omitted, everything is
                     * purged
                     */
                    urls?: string[];
                    /**
                     * @description a list of 1 to 100 strings, each a host and the start of a path,
                     * such as "www.example.com/news/"; if all lists are omitted, everything is
                     * purged
                     */
                    prefixes?: string[];
                    /**
                     * @description a list of 1 to 100 strings, each a tag that the origin sends in
                     * Cache-Tag: it must be 1 to 1024 printable ASCII characters without commas,
                     * and without spaces around it; if all lists are omitted, everything is purged
                     */
                    tags?: string[];
                    /**
                     * @description true or false, whether the nodes fetch again from the origin, at
                     * once and in the background, each URL of "urls" and up to 100 of the most
                     * requested other responses that are purged; the default is false
                     */
                    prefetch?: boolean;
                };
            };
        };
        responses: {
            /** @description Purge the cache of the domain on every node */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        purge: {
                            /** @description the id of the purge */
                            id: number;
                            /** @description the id of the domain */
                            domain_id: number;
                            /** @description whether all of the domain is purged */
                            everything: boolean;
                            /** @description normalised */
                            urls: string[];
                            /** @description normalized, host and path; for both schemes */
                            prefixes: string[];
                            /** @description as requested */
                            tags: string[];
                            /**
                             * @description whether the nodes fetch again from the origin what they
                             * purged
                             */
                            prefetch: boolean;
                            /** @description when it was requested, as YYYY-MM-DD HH:MM:SS in UTC */
                            requested_at: string;
                        };
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            409: components["responses"]["PlanLimit"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_url`, `invalid_prefix`, `invalid_tag`,
             * `validation`, `unknown_field`, `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_url" | "invalid_prefix" | "invalid_tag" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `too_many_purges`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "too_many_purges" | "too_many_requests";
                        };
                    };
                };
            };
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getErrorPages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the error pages of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 16 pages, each for another status */
                        pages: components["schemas"]["ErrorPage"][];
                        /**
                         * @description the page of rules of type "maintenance"; null: the default
                         */
                        maintenance: string | null;
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    setErrorPages: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description at most 16 pages, each for another status */
                    pages: {
                        /**
                         * @description a status from 400 to 599, "4xx" or "5xx"; the page of a
                         * status goes before that of its class
                         */
                        status: string;
                        /**
                         * @description the HTML of the page: 32 KiB of UTF-8 at most, with
                         * placeholders such as {{status}}
                         */
                        html: string;
                    }[];
                    /** @description the page of rules of type "maintenance"; null: the default */
                    maintenance?: string | null;
                    /** @description as in the response; ignored */
                    readonly revision?: unknown;
                    /** @description as in the response; ignored */
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Replace the error pages of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 16 pages, each for another status */
                        pages: components["schemas"]["ErrorPage"][];
                        /**
                         * @description the page of rules of type "maintenance"; null: the default
                         */
                        maintenance: string | null;
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_error_page`, `validation`,
             * `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_error_page" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listErrorPagesVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the versions of the error pages of a domain, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the versions, newest first */
                        versions: components["schemas"]["DocumentVersion"][];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getErrorPagesVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the sequence number of a change */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a version of the error pages of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 16 pages, each for another status */
                        pages: components["schemas"]["ErrorPage"][];
                        /**
                         * @description the page of rules of type "maintenance"; null: the default
                         */
                        maintenance: string | null;
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_version`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_version";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    restoreErrorPages: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the sequence number of a change */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Restore a version of the error pages of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 16 pages, each for another status */
                        pages: components["schemas"]["ErrorPage"][];
                        /**
                         * @description the page of rules of type "maintenance"; null: the default
                         */
                        maintenance: string | null;
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_version`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_version";
                        };
                    };
                };
            };
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            /**
             * @description Unprocessable Entity: `invalid_error_page`, `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_error_page" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    previewErrorPage: {
        parameters: {
            query?: {
                /**
                 * @description the HTML in UTF-8, compressed by DEFLATE without a header (RFC
                 * 1951), in base64url; omitted: a list of the placeholders
                 */
                page?: string;
                /**
                 * @description a status from 400 to 599, "4xx", "5xx" or "maintenance"; the default
                 * is 5xx
                 */
                status?: string;
            };
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Preview an error page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /**
             * @description Unprocessable Entity: `invalid_preview`, `invalid_status`,
             * `invalid_error_page`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_preview" | "invalid_status" | "invalid_error_page";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getProtection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the protection of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        limits: {
                            /** @description null: only the fair share of the site */
                            connections: number | null;
                            /** @description null: only the fair share of the site */
                            new_connections_per_second: number | null;
                            /** @description null: only the fair share of the site */
                            requests_in_flight: number | null;
                            /** @description null: only the fair share of the site */
                            requests_per_second: number | null;
                        };
                        slow: {
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            header_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            idle_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            body_rate: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            read_timeout: number | null;
                        };
                        challenge: {
                            /**
                             * @description "off", "auto" (while the site gets too many requests),
                             * or "on"
                             * @enum {string}
                             */
                            mode: "off" | "auto" | "on";
                            /**
                             * @description zero bits of the proof of work, from 8 to 24; each
                             * further bit doubles the work
                             */
                            difficulty: number;
                            /**
                             * @description seconds that a visitor who has passed is not challenged,
                             * from 60 to 86,400
                             */
                            valid_for: number;
                            /**
                             * @description seconds that a visitor without JavaScript waits, from 5
                             * to 120
                             */
                            wait: number;
                            /**
                             * @description requests per second on a node above which "auto"
                             * challenges, from 1 to 1,000,000
                             */
                            above: number;
                            /**
                             * @description at most 64 prefixes of paths that are never challenged
                             */
                            except: string[];
                        };
                        tls: {
                            /**
                             * @description "1.2" or "1.3"
                             * @enum {string}
                             */
                            min_version: "1.2" | "1.3";
                            /**
                             * @description "off", "optional" or "required"
                             * @enum {string}
                             */
                            client_certificates: "off" | "optional" | "required";
                            /** @description null: none */
                            client_authorities: string | null;
                        };
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    setProtection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description an object with the limits on each node */
                    limits?: {
                        /** @description null: only the fair share of the site */
                        connections?: number | null;
                        /** @description null: only the fair share of the site */
                        new_connections_per_second?: number | null;
                        /** @description null: only the fair share of the site */
                        requests_in_flight?: number | null;
                        /** @description null: only the fair share of the site */
                        requests_per_second?: number | null;
                    };
                    /** @description an object with the budgets for slow clients */
                    slow?: {
                        /** @description null: the setting of the node, which cannot be widened */
                        header_timeout?: number | null;
                        /** @description null: the setting of the node, which cannot be widened */
                        idle_timeout?: number | null;
                        /** @description null: the setting of the node, which cannot be widened */
                        body_rate?: number | null;
                        /** @description null: the setting of the node, which cannot be widened */
                        read_timeout?: number | null;
                    };
                    /** @description an object with the challenge for visitors */
                    challenge?: {
                        /**
                         * @description "off", "auto" (while the site gets too many requests), or
                         * "on"
                         * @enum {string}
                         */
                        mode?: "off" | "auto" | "on";
                        /**
                         * @description zero bits of the proof of work, from 8 to 24; each further
                         * bit doubles the work
                         */
                        difficulty?: number;
                        /**
                         * @description seconds that a visitor who has passed is not challenged,
                         * from 60 to 86,400
                         */
                        valid_for?: number;
                        /**
                         * @description seconds that a visitor without JavaScript waits, from 5 to
                         * 120
                         */
                        wait?: number;
                        /**
                         * @description requests per second on a node above which "auto" challenges,
                         * from 1 to 1,000,000
                         */
                        above?: number;
                        /** @description at most 64 prefixes of paths that are never challenged */
                        except?: string[];
                    };
                    /** @description an object with the demands on TLS */
                    tls?: {
                        /**
                         * @description "1.2" or "1.3"
                         * @enum {string}
                         */
                        min_version?: "1.2" | "1.3";
                        /**
                         * @description "off", "optional" or "required"
                         * @enum {string}
                         */
                        client_certificates?: "off" | "optional" | "required";
                        /** @description null: none */
                        client_authorities?: string | null;
                    };
                    /** @description as in the response; ignored */
                    readonly revision?: unknown;
                    /** @description as in the response; ignored */
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Replace the protection of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        limits: {
                            /** @description null: only the fair share of the site */
                            connections: number | null;
                            /** @description null: only the fair share of the site */
                            new_connections_per_second: number | null;
                            /** @description null: only the fair share of the site */
                            requests_in_flight: number | null;
                            /** @description null: only the fair share of the site */
                            requests_per_second: number | null;
                        };
                        slow: {
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            header_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            idle_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            body_rate: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            read_timeout: number | null;
                        };
                        challenge: {
                            /**
                             * @description "off", "auto" (while the site gets too many requests),
                             * or "on"
                             * @enum {string}
                             */
                            mode: "off" | "auto" | "on";
                            /**
                             * @description zero bits of the proof of work, from 8 to 24; each
                             * further bit doubles the work
                             */
                            difficulty: number;
                            /**
                             * @description seconds that a visitor who has passed is not challenged,
                             * from 60 to 86,400
                             */
                            valid_for: number;
                            /**
                             * @description seconds that a visitor without JavaScript waits, from 5
                             * to 120
                             */
                            wait: number;
                            /**
                             * @description requests per second on a node above which "auto"
                             * challenges, from 1 to 1,000,000
                             */
                            above: number;
                            /**
                             * @description at most 64 prefixes of paths that are never challenged
                             */
                            except: string[];
                        };
                        tls: {
                            /**
                             * @description "1.2" or "1.3"
                             * @enum {string}
                             */
                            min_version: "1.2" | "1.3";
                            /**
                             * @description "off", "optional" or "required"
                             * @enum {string}
                             */
                            client_certificates: "off" | "optional" | "required";
                            /** @description null: none */
                            client_authorities: string | null;
                        };
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_protection`, `invalid_authorities`,
             * `validation`, `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_protection" | "invalid_authorities" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listProtectionVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the versions of the protection of a domain, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the versions, newest first */
                        versions: components["schemas"]["DocumentVersion"][];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getProtectionVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the sequence number of a change */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a version of the protection of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        limits: {
                            /** @description null: only the fair share of the site */
                            connections: number | null;
                            /** @description null: only the fair share of the site */
                            new_connections_per_second: number | null;
                            /** @description null: only the fair share of the site */
                            requests_in_flight: number | null;
                            /** @description null: only the fair share of the site */
                            requests_per_second: number | null;
                        };
                        slow: {
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            header_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            idle_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            body_rate: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            read_timeout: number | null;
                        };
                        challenge: {
                            /**
                             * @description "off", "auto" (while the site gets too many requests),
                             * or "on"
                             * @enum {string}
                             */
                            mode: "off" | "auto" | "on";
                            /**
                             * @description zero bits of the proof of work, from 8 to 24; each
                             * further bit doubles the work
                             */
                            difficulty: number;
                            /**
                             * @description seconds that a visitor who has passed is not challenged,
                             * from 60 to 86,400
                             */
                            valid_for: number;
                            /**
                             * @description seconds that a visitor without JavaScript waits, from 5
                             * to 120
                             */
                            wait: number;
                            /**
                             * @description requests per second on a node above which "auto"
                             * challenges, from 1 to 1,000,000
                             */
                            above: number;
                            /**
                             * @description at most 64 prefixes of paths that are never challenged
                             */
                            except: string[];
                        };
                        tls: {
                            /**
                             * @description "1.2" or "1.3"
                             * @enum {string}
                             */
                            min_version: "1.2" | "1.3";
                            /**
                             * @description "off", "optional" or "required"
                             * @enum {string}
                             */
                            client_certificates: "off" | "optional" | "required";
                            /** @description null: none */
                            client_authorities: string | null;
                        };
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_version`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_version";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    restoreProtection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the sequence number of a change */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Restore a version of the protection of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        limits: {
                            /** @description null: only the fair share of the site */
                            connections: number | null;
                            /** @description null: only the fair share of the site */
                            new_connections_per_second: number | null;
                            /** @description null: only the fair share of the site */
                            requests_in_flight: number | null;
                            /** @description null: only the fair share of the site */
                            requests_per_second: number | null;
                        };
                        slow: {
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            header_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            idle_timeout: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            body_rate: number | null;
                            /**
                             * @description null: the setting of the node, which cannot be widened
                             */
                            read_timeout: number | null;
                        };
                        challenge: {
                            /**
                             * @description "off", "auto" (while the site gets too many requests),
                             * or "on"
                             * @enum {string}
                             */
                            mode: "off" | "auto" | "on";
                            /**
                             * @description zero bits of the proof of work, from 8 to 24; each
                             * further bit doubles the work
                             */
                            difficulty: number;
                            /**
                             * @description seconds that a visitor who has passed is not challenged,
                             * from 60 to 86,400
                             */
                            valid_for: number;
                            /**
                             * @description seconds that a visitor without JavaScript waits, from 5
                             * to 120
                             */
                            wait: number;
                            /**
                             * @description requests per second on a node above which "auto"
                             * challenges, from 1 to 1,000,000
                             */
                            above: number;
                            /**
                             * @description at most 64 prefixes of paths that are never challenged
                             */
                            except: string[];
                        };
                        tls: {
                            /**
                             * @description "1.2" or "1.3"
                             * @enum {string}
                             */
                            min_version: "1.2" | "1.3";
                            /**
                             * @description "off", "optional" or "required"
                             * @enum {string}
                             */
                            client_certificates: "off" | "optional" | "required";
                            /** @description null: none */
                            client_authorities: string | null;
                        };
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_version`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_version";
                        };
                    };
                };
            };
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            /**
             * @description Unprocessable Entity: `invalid_protection`, `invalid_authorities`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_protection" | "invalid_authorities" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getOrigins: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the origins of names and paths of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description a list of at most 100 entries; the longest name wins, then
                         * the longest path
                         */
                        origins: components["schemas"]["OriginsEntry"][];
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    setOrigins: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description a list of at most 100 entries; the longest name wins, then the
                     * longest path
                     */
                    origins: {
                        /**
                         * @description null, or a name relative to the domain: "@", "www", "*.dev",
                         * or "*" for every name; null: "*", or no requests but those of rules for
                         * an entry with a label and without path
                         */
                        name?: string | null;
                        /**
                         * @description null, or the start of paths, in whole segments, such as
                         * "/api"; null: "/", or as for name
                         */
                        path?: string | null;
                        /**
                         * @description null, or a name by which rules send requests here; null:
                         * none
                         */
                        label?: string | null;
                        /**
                         * @description true or false, whether stale responses of the cache are
                         * served when all origins are down; the default is true
                         */
                        stale_when_down?: boolean;
                        /**
                         * @description null, or the Host field that the origins receive; null: the
                         * visitor's
                         */
                        host?: string | null;
                        /**
                         * @description null, or the name for SNI and for the verification of the
                         * certificate; null: the host name of the origin
                         */
                        server_name?: string | null;
                        /**
                         * @description the version of HTTP to the origins: "1.1", "2", or "h2c"
                         * (HTTP/2 without TLS); the default is "1.1"
                         * @enum {string}
                         */
                        version?: "1.1" | "2" | "h2c";
                        /**
                         * @description null, or the certificate authorities of the origins in PEM
                         * form, in place of the public ones; null: the public ones
                         */
                        ca?: string | null;
                        /**
                         * @description null, or at most 10 pins; the key of the origin must be one
                         * of them, and its certificate is not verified otherwise, unless ca is set;
                         * null: any key
                         */
                        pins?: string[] | null;
                        /**
                         * @description null, or a whole number of seconds from 1 to 60, for a
                         * connection; null: edge.origin_connect_timeout
                         */
                        connect_timeout?: number | null;
                        /**
                         * @description null, or a whole number of seconds from 1 to 600, until the
                         * head of the response; null: edge.origin_header_timeout
                         */
                        response_timeout?: number | null;
                        /** @description a list of 1 to 32 origins */
                        pool: {
                            /**
                             * @description a string, a public IPv4 or IPv6 address or a host name,
                             * such as "origin.example.net"
                             */
                            origin: string;
                            /**
                             * @description a whole number from 1 to 65535; the default is 443, or
                             * 80 with the protocol http
                             */
                            port?: number;
                            /**
                             * @description "http" or "https"; the default follows from port 80 or
                             * 443
                             * @enum {string}
                             */
                            protocol?: "http" | "https";
                            /**
                             * @description a whole number from 0 to 1000, its part of the requests;
                             * 0: only visitors who are already kept there; the default is 1
                             */
                            weight?: number;
                        }[];
                        /**
                         * @description null, or an object, the health check of the origins; the
                         * defaults are {path:/, status:null, interval:10, timeout:5, rise:2,
                         * fall:3}; null: no checks
                         */
                        health?: {
                            /** @description a path, such as "/up" */
                            path?: string;
                            /** @description null, or the expected status; null: 200 to 399 */
                            status?: number | null;
                            /**
                             * @description a whole number of seconds from 2 to 3600, the time
                             * between two checks
                             */
                            interval?: number;
                            /**
                             * @description a whole number of seconds from 1 to 60, the time for one
                             * check
                             */
                            timeout?: number;
                            /**
                             * @description the successes in a row after which an origin is up again
                             */
                            rise?: number;
                            /** @description the failures in a row after which an origin is down */
                            fall?: number;
                        } | null;
                        /**
                         * @description null, or an object, when an origin is ejected because
                         * requests fail; the defaults are {failures:5, error_rate:50,
                         * min_requests:20, duration:30}; null: never
                         */
                        ejection?: {
                            /**
                             * @description the failures in a row after which an origin is ejected
                             */
                            failures?: number;
                            /**
                             * @description the percentage of failed requests in ten seconds from
                             * which an origin is ejected
                             */
                            error_rate?: number;
                            /**
                             * @description the requests in ten seconds below which error_rate does
                             * not count
                             */
                            min_requests?: number;
                            /**
                             * @description a whole number of seconds from 1 to 3600, the first
                             * ejection; each further one is twice as long, up to eight times
                             */
                            duration?: number;
                        } | null;
                        /**
                         * @description null, or an object, how visitors are kept at one origin;
                         * null: not
                         */
                        sticky?: {
                            /**
                             * @description "cookie", or "client" for a hash of its address
                             * @enum {string}
                             */
                            by: "cookie" | "client";
                            /** @description the name of the cookie */
                            cookie?: string;
                            /**
                             * @description null, or a whole number of seconds from 1 to 31536000,
                             * the lifetime of the cookie; null: until the browser is closed
                             */
                            max_age?: number | null;
                        } | null;
                        /**
                         * @description an object, how requests are sent again; the defaults are
                         * {attempts:3, budget:20}
                         */
                        retries?: {
                            /**
                             * @description a whole number from 1 to 5, the attempts of one request
                             */
                            attempts?: number;
                            /**
                             * @description the percentage of requests that may be sent again; 0:
                             * none
                             */
                            budget?: number;
                        };
                        /**
                         * @description null, or an object, the certificate that the edge presents
                         * to the origins; null: none
                         */
                        client_certificate?: {
                            /**
                             * @description the client certificate in PEM form, with its chain, leaf
                             * first
                             */
                            certificate: string;
                            /**
                             * @description its private key in PEM form; stored encrypted and never
                             * shown; omit it to keep the key
                             */
                            private_key?: string;
                        } | null;
                    }[];
                    /** @description as in the response; ignored */
                    readonly revision?: unknown;
                    /** @description as in the response; ignored */
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Replace the origins of names and paths of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description a list of at most 100 entries; the longest name wins, then
                         * the longest path
                         */
                        origins: components["schemas"]["OriginsEntry"][];
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `duplicate_entry`, `duplicate_label`,
             * `duplicate_origin`, `invalid_certificate`, `invalid_host`, `invalid_name`,
             * `invalid_origin`, `invalid_path`, `invalid_pin`, `invalid_private_key`,
             * `invalid_server_name`, `invalid_timeout`, `invalid_version`, `key_mismatch`,
             * `key_required`, `no_weight`, `origin_loop`, `private_origin`, `protocol_required`,
             * `tls_required`, `too_many_checks`, `validation`, `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "duplicate_entry" | "duplicate_label" | "duplicate_origin" | "invalid_certificate" | "invalid_host" | "invalid_name" | "invalid_origin" | "invalid_path" | "invalid_pin" | "invalid_private_key" | "invalid_server_name" | "invalid_timeout" | "invalid_version" | "key_mismatch" | "key_required" | "no_weight" | "origin_loop" | "private_origin" | "protocol_required" | "tls_required" | "too_many_checks" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getOriginsHealth: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the health of the origins of names and paths */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description in the order of the document */
                        entries: components["schemas"]["OriginsEntryHealth"][];
                        /** @description of the document */
                        revision: number;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getLogs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the delivery of request logs of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description whether requests are logged */
                        enabled: boolean;
                        /** @description the HTTPS endpoint that receives batches; null: none */
                        endpoint: {
                            /**
                             * @description the https URL that batches are sent to, with a public
                             * host
                             */
                            url: string;
                            /** @description whether the field Authorization is sent */
                            has_authorization: boolean;
                            /** @description whether batches are signed */
                            has_signing_secret: boolean;
                        } | null;
                        /** @description the bucket that receives objects; null: none */
                        bucket: {
                            /** @description the https URL of the S3-compatible service */
                            endpoint: string;
                            /** @description its region, such as "eu-central-1" */
                            region: string;
                            /** @description the name of the bucket */
                            name: string;
                            /**
                             * @description what keys begin with: empty, or names that each end with
                             * "/"
                             */
                            prefix: string;
                            /**
                             * @description whether the bucket is in the path of URLs, not in their
                             * host
                             */
                            path_style: boolean;
                            /** @description the id of the access key */
                            access_key: string;
                        } | null;
                        /**
                         * @description the share of the requests that is logged, above 0 and at
                         * most 1
                         */
                        sample: number;
                        /** @description the fields of a line */
                        fields: ("time" | "node" | "client" | "scheme" | "host" | "method" | "path" | "query" | "version" | "status" | "bytes" | "ms" | "cache" | "origin_ms" | "fault" | "referer" | "user_agent" | "request_id" | "sample")[];
                        /**
                         * @description the client address in a line: "full", "truncated" to its
                         * network (/24 or /48), or "omitted"
                         * @enum {string}
                         */
                        client_address: "full" | "truncated" | "omitted";
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    setLogs: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description whether requests are logged */
                    enabled: boolean;
                    /** @description the HTTPS endpoint that receives batches; null: none */
                    endpoint?: {
                        /**
                         * @description the https URL that batches are sent to, with a public host
                         */
                        url: string;
                        /**
                         * @description the value of the field Authorization; null: none; omitted:
                         * as before. It is never shown
                         */
                        authorization?: string | null;
                        /**
                         * @description the secret that signs, "whsec_" and the base64 of 24 to 64
                         * bytes; null: none; omitted: as before. It is never shown
                         */
                        signing_secret?: string | null;
                        /** @description as in the response; ignored */
                        readonly has_authorization?: unknown;
                        /** @description as in the response; ignored */
                        readonly has_signing_secret?: unknown;
                    } | null;
                    /** @description the bucket that receives objects; null: none */
                    bucket?: {
                        /** @description the https URL of the S3-compatible service */
                        endpoint: string;
                        /** @description its region, such as "eu-central-1" */
                        region: string;
                        /** @description the name of the bucket */
                        name: string;
                        /**
                         * @description what keys begin with: empty, or names that each end with "/"
                         */
                        prefix?: string;
                        /**
                         * @description whether the bucket is in the path of URLs, not in their host
                         */
                        path_style?: boolean;
                        /** @description the id of the access key */
                        access_key: string;
                        /**
                         * @description the secret of the access key; omitted: as before. It is
                         * never shown
                         */
                        secret_key?: string;
                    } | null;
                    /**
                     * @description the share of the requests that is logged, above 0 and at most 1
                     */
                    sample?: number;
                    /** @description the fields of a line */
                    fields?: ("time" | "node" | "client" | "scheme" | "host" | "method" | "path" | "query" | "version" | "status" | "bytes" | "ms" | "cache" | "origin_ms" | "fault" | "referer" | "user_agent" | "request_id" | "sample")[];
                    /**
                     * @description the client address in a line: "full", "truncated" to its network
                     * (/24 or /48), or "omitted"
                     * @enum {string}
                     */
                    client_address?: "full" | "truncated" | "omitted";
                    /** @description as in the response; ignored */
                    readonly revision?: unknown;
                    /** @description as in the response; ignored */
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Replace the delivery of request logs of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description whether requests are logged */
                        enabled: boolean;
                        /** @description the HTTPS endpoint that receives batches; null: none */
                        endpoint: {
                            /**
                             * @description the https URL that batches are sent to, with a public
                             * host
                             */
                            url: string;
                            /** @description whether the field Authorization is sent */
                            has_authorization: boolean;
                            /** @description whether batches are signed */
                            has_signing_secret: boolean;
                        } | null;
                        /** @description the bucket that receives objects; null: none */
                        bucket: {
                            /** @description the https URL of the S3-compatible service */
                            endpoint: string;
                            /** @description its region, such as "eu-central-1" */
                            region: string;
                            /** @description the name of the bucket */
                            name: string;
                            /**
                             * @description what keys begin with: empty, or names that each end with
                             * "/"
                             */
                            prefix: string;
                            /**
                             * @description whether the bucket is in the path of URLs, not in their
                             * host
                             */
                            path_style: boolean;
                            /** @description the id of the access key */
                            access_key: string;
                        } | null;
                        /**
                         * @description the share of the requests that is logged, above 0 and at
                         * most 1
                         */
                        sample: number;
                        /** @description the fields of a line */
                        fields: ("time" | "node" | "client" | "scheme" | "host" | "method" | "path" | "query" | "version" | "status" | "bytes" | "ms" | "cache" | "origin_ms" | "fault" | "referer" | "user_agent" | "request_id" | "sample")[];
                        /**
                         * @description the client address in a line: "full", "truncated" to its
                         * network (/24 or /48), or "omitted"
                         * @enum {string}
                         */
                        client_address: "full" | "truncated" | "omitted";
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_logs`, `invalid_url`, `private_url`,
             * `validation`, `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_logs" | "invalid_url" | "private_url" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getLogsState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the state of the delivery of request logs on each node */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the nodes that answered */
                        nodes: components["schemas"]["LogsNodeState"][];
                        /** @description the names of nodes that did not answer within 2 seconds */
                        missing_nodes: string[];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    testLogs: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a line to the receiver of request logs now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description whether the receiver has accepted the line */
                        delivered: boolean;
                        /** @description the status of the response; null: there was none */
                        status: number | null;
                        /** @description why the attempt failed; null: it has not */
                        error: string | null;
                        /** @description milliseconds */
                        duration_ms: number;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /** @description Conflict: `logs_disabled`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "logs_disabled" | "plan_limit";
                        };
                    };
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the rules of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 200 rules, in the order in which they run */
                        rules: components["schemas"]["SiteRule"][];
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    setRules: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description at most 200 rules, in the order in which they run */
                    rules: {
                        /** @description a name for people */
                        name?: string;
                        /** @description false: the rule is skipped; the default is true */
                        enabled?: boolean;
                        /** @description true: the rule is matched and counted, but does nothing */
                        dry_run?: boolean;
                        /**
                         * @description conditions of which all hold; a match without any holds for
                         * every request
                         */
                        match?: {
                            /** @description host names; any of them */
                            host?: string[];
                            /**
                             * @description the path without the query, with escapes decoded and dot
                             * segments resolved
                             */
                            path?: {
                                /** @description whole paths; any of them */
                                exact?: string[];
                                /** @description beginnings of paths; any of them */
                                prefix?: string[];
                                /** @description ends of paths; any of them */
                                suffix?: string[];
                                /** @description parts of paths; any of them */
                                contains?: string[];
                                /** @description globs of paths; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of paths; any of them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            };
                            /** @description methods; any of them */
                            method?: string[];
                            /** @description addresses or networks of clients; any of them */
                            client?: string[];
                            /** @description countries of clients; any of them */
                            country?: string[];
                            /** @description conditions for headers; all of them hold */
                            header?: {
                                /** @description the name of a header */
                                name: string;
                                /**
                                 * @description true: it is not there, or has none of these values
                                 */
                                absent?: boolean;
                                /** @description whole values; any of them */
                                exact?: string[];
                                /** @description beginnings of values; any of them */
                                prefix?: string[];
                                /** @description ends of values; any of them */
                                suffix?: string[];
                                /** @description parts of values; any of them */
                                contains?: string[];
                                /** @description globs of values; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of values; any of
                                 * them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            }[];
                            /** @description conditions for cookies; all of them hold */
                            cookie?: {
                                /**
                                 * @description the name of a cookie; "*" at its end stands for any
                                 * text
                                 */
                                name: string;
                                /**
                                 * @description true: it is not there, or has none of these values
                                 */
                                absent?: boolean;
                                /** @description whole values; any of them */
                                exact?: string[];
                                /** @description beginnings of values; any of them */
                                prefix?: string[];
                                /** @description ends of values; any of them */
                                suffix?: string[];
                                /** @description parts of values; any of them */
                                contains?: string[];
                                /** @description globs of values; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of values; any of
                                 * them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            }[];
                            /** @description conditions for query parameters; all of them hold */
                            query?: {
                                /**
                                 * @description the name of a parameter; "*" at its end stands for
                                 * any text
                                 */
                                name: string;
                                /**
                                 * @description true: it is not there, or has none of these values
                                 */
                                absent?: boolean;
                                /** @description whole values; any of them */
                                exact?: string[];
                                /** @description beginnings of values; any of them */
                                prefix?: string[];
                                /** @description ends of values; any of them */
                                suffix?: string[];
                                /** @description parts of values; any of them */
                                contains?: string[];
                                /** @description globs of values; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of values; any of
                                 * them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            }[];
                        };
                        /**
                         * @description conditions of which all hold; a match without any holds for
                         * every request
                         */
                        except?: {
                            /** @description host names; any of them */
                            host?: string[];
                            /**
                             * @description the path without the query, with escapes decoded and dot
                             * segments resolved
                             */
                            path?: {
                                /** @description whole paths; any of them */
                                exact?: string[];
                                /** @description beginnings of paths; any of them */
                                prefix?: string[];
                                /** @description ends of paths; any of them */
                                suffix?: string[];
                                /** @description parts of paths; any of them */
                                contains?: string[];
                                /** @description globs of paths; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of paths; any of them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            };
                            /** @description methods; any of them */
                            method?: string[];
                            /** @description addresses or networks of clients; any of them */
                            client?: string[];
                            /** @description countries of clients; any of them */
                            country?: string[];
                            /** @description conditions for headers; all of them hold */
                            header?: {
                                /** @description the name of a header */
                                name: string;
                                /**
                                 * @description true: it is not there, or has none of these values
                                 */
                                absent?: boolean;
                                /** @description whole values; any of them */
                                exact?: string[];
                                /** @description beginnings of values; any of them */
                                prefix?: string[];
                                /** @description ends of values; any of them */
                                suffix?: string[];
                                /** @description parts of values; any of them */
                                contains?: string[];
                                /** @description globs of values; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of values; any of
                                 * them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            }[];
                            /** @description conditions for cookies; all of them hold */
                            cookie?: {
                                /**
                                 * @description the name of a cookie; "*" at its end stands for any
                                 * text
                                 */
                                name: string;
                                /**
                                 * @description true: it is not there, or has none of these values
                                 */
                                absent?: boolean;
                                /** @description whole values; any of them */
                                exact?: string[];
                                /** @description beginnings of values; any of them */
                                prefix?: string[];
                                /** @description ends of values; any of them */
                                suffix?: string[];
                                /** @description parts of values; any of them */
                                contains?: string[];
                                /** @description globs of values; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of values; any of
                                 * them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            }[];
                            /** @description conditions for query parameters; all of them hold */
                            query?: {
                                /**
                                 * @description the name of a parameter; "*" at its end stands for
                                 * any text
                                 */
                                name: string;
                                /**
                                 * @description true: it is not there, or has none of these values
                                 */
                                absent?: boolean;
                                /** @description whole values; any of them */
                                exact?: string[];
                                /** @description beginnings of values; any of them */
                                prefix?: string[];
                                /** @description ends of values; any of them */
                                suffix?: string[];
                                /** @description parts of values; any of them */
                                contains?: string[];
                                /** @description globs of values; any of them */
                                glob?: string[];
                                /**
                                 * @description regular expressions for a part of values; any of
                                 * them
                                 */
                                regex?: string[];
                                /** @description true: the case of letters does not matter */
                                ignore_case?: boolean;
                            }[];
                        };
                        action: {
                            /**
                             * @description one of "allow", "deny", "limit", "redirect", "rewrite",
                             * "set_request_header", "remove_request_header", "set_response_header",
                             * "remove_response_header", "cache", "bypass_cache", "no_compression",
                             * "basic_auth", "challenge", "error_page", "maintenance", "origin"
                             * @enum {string}
                             */
                            type: "allow" | "deny" | "limit" | "redirect" | "rewrite" | "set_request_header" | "remove_request_header" | "set_response_header" | "remove_response_header" | "cache" | "bypass_cache" | "no_compression" | "basic_auth" | "challenge" | "error_page" | "maintenance" | "origin";
                            /**
                             * @description the status of deny (403), redirect (302) and error_page
                             */
                            status?: number;
                            /**
                             * @description where a redirect leads, with placeholders such as {uri}
                             */
                            location?: string;
                            /**
                             * @description the path of a rewrite, with placeholders such as {rest}
                             */
                            path?: string;
                            /** @description the name of a header or of an origin */
                            name?: string;
                            /** @description the value of a header */
                            value?: string;
                            /** @description requests that a limit allows in a period, on average */
                            requests?: number;
                            /** @description the period of a limit in seconds */
                            period?: number;
                            /**
                             * @description requests that may come at once; the default is requests
                             */
                            burst?: number;
                            /**
                             * @description what a limit counts by: address, network, header:NAME or
                             * cookie:NAME
                             */
                            by?: string;
                            /** @description seconds that the cache keeps responses */
                            ttl?: number;
                            /** @description true: ttl replaces what the origin says */
                            override?: boolean;
                            /** @description what distinguishes responses in the cache */
                            key?: {
                                /**
                                 * @description the only query parameters in the key of the cache;
                                 * empty: none
                                 */
                                query_only?: string[];
                                /**
                                 * @description query parameters that are not in the key of the
                                 * cache
                                 */
                                query_without?: string[];
                                /** @description headers whose values are in the key of the cache */
                                headers?: string[];
                                /** @description cookies whose values are in the key of the cache */
                                cookies?: string[];
                            };
                            /** @description what browsers show when they ask for a password */
                            realm?: string;
                            /** @description users of basic_auth */
                            users?: {
                                /** @description the name of the user */
                                name: string;
                                /** @description the password of the user; omitted: it stays */
                                password?: string;
                                /**
                                 * @description an argon2id hash of the password, in the PHC format
                                 */
                                hash?: string;
                                /** @description as in the response; ignored */
                                readonly has_password?: unknown;
                            }[];
                            /**
                             * @description what visitors read on the page of maintenance or
                             * error_page
                             */
                            message?: string;
                            /** @description seconds after which maintenance ends */
                            retry_after?: number;
                        };
                    }[];
                    /** @description as in the response; ignored */
                    readonly revision?: unknown;
                    /** @description as in the response; ignored */
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Replace the rules of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 200 rules, in the order in which they run */
                        rules: components["schemas"]["SiteRule"][];
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_rule`, `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_rule" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listRulesVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the versions of the rules of a domain, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the versions, newest first */
                        versions: components["schemas"]["DocumentVersion"][];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getRulesVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the sequence number of a change */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a version of the rules of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 200 rules, in the order in which they run */
                        rules: components["schemas"]["SiteRule"][];
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_version`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_version";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    restoreRules: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The ETag of an earlier read: the write fails with 412 when the
                 * domain or document has changed since.
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
                /** @description the sequence number of a change */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Restore a version of the rules of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description at most 200 rules, in the order in which they run */
                        rules: components["schemas"]["SiteRule"][];
                        /** @description counts the changes of the document; 0: it was never set */
                        revision: number;
                        /** @description null: it was never set */
                        updated_at: string | null;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`, `no_such_version`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain" | "no_such_version";
                        };
                    };
                };
            };
            /** @description Conflict: `secondary_zone`, `catalog_zone`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "secondary_zone" | "catalog_zone" | "plan_limit";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            /** @description Unprocessable Entity: `invalid_rule`, `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_rule" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getRuleCounters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get how often the rules of a domain have matched */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the node that answers */
                        node: string;
                        nodes: {
                            /** @description the nodes whose counts are included */
                            answered: string[];
                            /**
                             * @description the nodes whose counts are missing: not reachable, or
                             * with another revision
                             */
                            missing: string[];
                        };
                        /** @description the revision of the rules */
                        revision: number;
                        /** @description the rules in their order */
                        rules: {
                            /** @description the position of the rule, from 1 */
                            number: number;
                            /** @description its name, or empty */
                            name: string;
                            /**
                             * @description one of "allow", "deny", "limit", "redirect", "rewrite",
                             * "set_request_header", "remove_request_header", "set_response_header",
                             * "remove_response_header", "cache", "bypass_cache", "no_compression",
                             * "basic_auth", "challenge", "error_page", "maintenance", "origin"
                             * @enum {string}
                             */
                            type: "allow" | "deny" | "limit" | "redirect" | "rewrite" | "set_request_header" | "remove_request_header" | "set_response_header" | "remove_response_header" | "cache" | "bypass_cache" | "no_compression" | "basic_auth" | "challenge" | "error_page" | "maintenance" | "origin";
                            /** @description true: the rule does nothing */
                            dry_run: boolean;
                            /** @description requests that it matched */
                            matched: number;
                            /**
                             * @description requests that it stopped; of a limit in dry run, would
                             * have
                             */
                            stopped: number;
                        }[];
                        /** @description null: nothing was counted yet */
                        since: string | null;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getRuleTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get rules that many sites need, for this domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description rules that many sites need */
                        templates: {
                            /** @description a stable name */
                            name: string;
                            /** @description what the rules do */
                            description: string;
                            /** @description at most 200 rules, in the order in which they run */
                            rules: components["schemas"]["SiteRule"][];
                            /** @description a title for people */
                            title: string;
                        }[];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    tailRequests: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The id of the last received event: the stream continues after it.
                 * Browsers send it automatically.
                 */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Watch the requests of a domain as server-sent events */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /** @description Too Many Requests: `too_many_streams`, `too_many_requests`. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "too_many_streams" | "too_many_requests";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getDomainStatistics: {
        parameters: {
            query?: {
                /**
                 * @description the start of the range; the default is 24 hours before `to`, as
                 * YYYY-MM-DD HH:MM:SS in UTC
                 */
                from?: string;
                /**
                 * @description the end of the range; the default is now, as YYYY-MM-DD HH:MM:SS in
                 * UTC
                 */
                to?: string;
                /**
                 * @description the length of a step in seconds: one of 60, 300, 900, 3600, 21600,
                 * 86400; 60 reaches back 3 hours, 300 and 900 two days, the others 31 days
                 */
                step?: number;
            };
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the statistics of a domain */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        statistics: components["schemas"]["Statistics"];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_domain";
                        };
                    };
                };
            };
            /**
             * @description Unprocessable Entity: `invalid_time`, `invalid_range`, `invalid_step`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_time" | "invalid_range" | "invalid_step";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /**
                 * @description the start of the range; the default is 24 hours before `to`, as
                 * YYYY-MM-DD HH:MM:SS in UTC
                 */
                from?: string;
                /**
                 * @description the end of the range; the default is now, as YYYY-MM-DD HH:MM:SS in
                 * UTC
                 */
                to?: string;
                /**
                 * @description the length of a step in seconds: one of 60, 300, 900, 3600, 21600,
                 * 86400; 60 reaches back 3 hours, 300 and 900 two days, the others 31 days
                 */
                step?: number;
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the statistics of all domains of an account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        statistics: components["schemas"]["Statistics"];
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            /**
             * @description Unprocessable Entity: `invalid_time`, `invalid_range`, `invalid_step`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_time" | "invalid_range" | "invalid_step";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description the id of another account to act for; for administrators */
                account?: number;
                /**
                 * @description only items whose URL or description contains this text, in any case
                 */
                q?: string;
                /** @description the order, descending with "-"; the default is "id" */
                sort?: "id" | "-id" | "url" | "-url" | "created_at" | "-created_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the webhooks of the account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the webhooks of the account */
                        webhooks: components["schemas"]["Webhook"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    createWebhook: {
        parameters: {
            query?: {
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description an https URL with a public host */
                    url: string;
                    /** @description types of events, "kind.*" for all of a kind, or "*" for all */
                    events?: ("*" | "domain.*" | "records.*" | "proxy.*" | "certificate.*" | "dnssec.*" | "audit.*" | "domain.created" | "domain.changed" | "domain.deleted" | "records.changed" | "proxy.changed" | "certificate.issued" | "certificate.failed" | "certificate.expiring" | "dnssec.changed" | "dnssec.phase" | "dnssec.problem" | "audit.entry" | "audit.verdict")[];
                    /** @description a description of 200 characters at most */
                    description?: string;
                    /**
                     * @description the ids of the domains whose events are delivered, or null for
                     * all of the account
                     */
                    domain_ids?: number[] | null;
                    /** @description whether events are delivered */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Create a webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the secret, "whsec_" and base64; it is shown only once */
                        secret: string;
                        /** @description the id of the webhook */
                        id: number;
                        /** @description where events are sent */
                        url: string;
                        /** @description its description */
                        description: string;
                        /** @description the chosen types of events */
                        events: string[];
                        /** @description the chosen domains; null: all of the account */
                        domain_ids: number[] | null;
                        /** @description whether events are delivered */
                        enabled: boolean;
                        /**
                         * @description one of "ok", "failing", "disabled"
                         * @enum {string}
                         */
                        status: "ok" | "failing" | "disabled";
                        /** @description why the service has disabled it; null: it has not */
                        disabled_reason: string | null;
                        /**
                         * @description the first failed attempt since the last successful one, as
                         * YYYY-MM-DD HH:MM:SS in UTC
                         */
                        failing_since: string | null;
                        /**
                         * @description until when the previous secret signs too, as YYYY-MM-DD
                         * HH:MM:SS in UTC
                         */
                        rotated_until: string | null;
                        /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
                        updated_at: string;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`, `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account" | "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `webhook_limit`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "webhook_limit" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_url`, `private_url`, `validation`,
             * `unknown_field`, `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_url" | "private_url" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the id of the webhook */
                        id: number;
                        /** @description where events are sent */
                        url: string;
                        /** @description its description */
                        description: string;
                        /** @description the chosen types of events */
                        events: string[];
                        /** @description the chosen domains; null: all of the account */
                        domain_ids: number[] | null;
                        /** @description whether events are delivered */
                        enabled: boolean;
                        /**
                         * @description one of "ok", "failing", "disabled"
                         * @enum {string}
                         */
                        status: "ok" | "failing" | "disabled";
                        /** @description why the service has disabled it; null: it has not */
                        disabled_reason: string | null;
                        /**
                         * @description the first failed attempt since the last successful one, as
                         * YYYY-MM-DD HH:MM:SS in UTC
                         */
                        failing_since: string | null;
                        /**
                         * @description until when the previous secret signs too, as YYYY-MM-DD
                         * HH:MM:SS in UTC
                         */
                        rotated_until: string | null;
                        /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
                        updated_at: string;
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a webhook and its deliveries */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description an https URL with a public host */
                    url?: string;
                    /** @description types of events, "kind.*" for all of a kind, or "*" for all */
                    events?: ("*" | "domain.*" | "records.*" | "proxy.*" | "certificate.*" | "dnssec.*" | "audit.*" | "domain.created" | "domain.changed" | "domain.deleted" | "records.changed" | "proxy.changed" | "certificate.issued" | "certificate.failed" | "certificate.expiring" | "dnssec.changed" | "dnssec.phase" | "dnssec.problem" | "audit.entry" | "audit.verdict")[];
                    /** @description a description of 200 characters at most */
                    description?: string;
                    /**
                     * @description the ids of the domains whose events are delivered, or null for
                     * all of the account
                     */
                    domain_ids?: number[] | null;
                    /** @description whether events are delivered */
                    enabled?: boolean;
                    /** @description as in the response; ignored */
                    readonly ok?: unknown;
                    /** @description as in the response; ignored */
                    readonly id?: unknown;
                    /** @description as in the response; ignored */
                    readonly status?: unknown;
                    /** @description as in the response; ignored */
                    readonly disabled_reason?: unknown;
                    /** @description as in the response; ignored */
                    readonly failing_since?: unknown;
                    /** @description as in the response; ignored */
                    readonly rotated_until?: unknown;
                    /** @description as in the response; ignored */
                    readonly created_at?: unknown;
                    /** @description as in the response; ignored */
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Change a webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the id of the webhook */
                        id: number;
                        /** @description where events are sent */
                        url: string;
                        /** @description its description */
                        description: string;
                        /** @description the chosen types of events */
                        events: string[];
                        /** @description the chosen domains; null: all of the account */
                        domain_ids: number[] | null;
                        /** @description whether events are delivered */
                        enabled: boolean;
                        /**
                         * @description one of "ok", "failing", "disabled"
                         * @enum {string}
                         */
                        status: "ok" | "failing" | "disabled";
                        /** @description why the service has disabled it; null: it has not */
                        disabled_reason: string | null;
                        /**
                         * @description the first failed attempt since the last successful one, as
                         * YYYY-MM-DD HH:MM:SS in UTC
                         */
                        failing_since: string | null;
                        /**
                         * @description until when the previous secret signs too, as YYYY-MM-DD
                         * HH:MM:SS in UTC
                         */
                        rotated_until: string | null;
                        /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
                        updated_at: string;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`, `no_such_domain`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook" | "no_such_domain";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            409: components["responses"]["PlanLimit"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_url`, `private_url`, `validation`,
             * `unknown_field`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_url" | "private_url" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a test event to a webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the id of the delivery */
                        id: number;
                        /** @description the header webhook-id of its attempts */
                        message: string;
                        /** @description the type of the event */
                        event: string;
                        /** @description the sequence number of the change; null: no change */
                        seq: number | null;
                        /**
                         * @description one of "pending", "delivered", "failed"
                         * @enum {string}
                         */
                        state: "pending" | "delivered" | "failed";
                        /** @description attempts since the event, or since the last replay */
                        attempts: number;
                        /** @description the status of the last response; null: there was none */
                        response_status: number | null;
                        /** @description why the last attempt failed; null: it has not */
                        error: string | null;
                        /** @description the duration of the last attempt in milliseconds */
                        duration_ms: number | null;
                        /** @description the last attempt, as YYYY-MM-DD HH:MM:SS in UTC */
                        attempted_at: string | null;
                        /** @description the next attempt, as YYYY-MM-DD HH:MM:SS in UTC */
                        next_attempt_at: string | null;
                        /** @description when the event was queued, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description the body that is sent */
                        payload: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook";
                        };
                    };
                };
            };
            /** @description Conflict: `webhook_disabled`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "webhook_disabled" | "plan_limit";
                        };
                    };
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replace the secret of a webhook */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the secret, "whsec_" and base64; it is shown only once */
                        secret: string;
                        /** @description the id of the webhook */
                        id: number;
                        /** @description where events are sent */
                        url: string;
                        /** @description its description */
                        description: string;
                        /** @description the chosen types of events */
                        events: string[];
                        /** @description the chosen domains; null: all of the account */
                        domain_ids: number[] | null;
                        /** @description whether events are delivered */
                        enabled: boolean;
                        /**
                         * @description one of "ok", "failing", "disabled"
                         * @enum {string}
                         */
                        status: "ok" | "failing" | "disabled";
                        /** @description why the service has disabled it; null: it has not */
                        disabled_reason: string | null;
                        /**
                         * @description the first failed attempt since the last successful one, as
                         * YYYY-MM-DD HH:MM:SS in UTC
                         */
                        failing_since: string | null;
                        /**
                         * @description until when the previous secret signs too, as YYYY-MM-DD
                         * HH:MM:SS in UTC
                         */
                        rotated_until: string | null;
                        /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
                        updated_at: string;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description only deliveries in this state */
                state?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the deliveries of a webhook, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description newest first */
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_state`, `invalid_limit`, `invalid_cursor`,
             * `bad_request`, `bad_escape`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_state" | "invalid_limit" | "invalid_cursor" | "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
                /** @description the id of the delivery */
                delivery_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a delivery */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the id of the delivery */
                        id: number;
                        /** @description the header webhook-id of its attempts */
                        message: string;
                        /** @description the type of the event */
                        event: string;
                        /** @description the sequence number of the change; null: no change */
                        seq: number | null;
                        /**
                         * @description one of "pending", "delivered", "failed"
                         * @enum {string}
                         */
                        state: "pending" | "delivered" | "failed";
                        /** @description attempts since the event, or since the last replay */
                        attempts: number;
                        /** @description the status of the last response; null: there was none */
                        response_status: number | null;
                        /** @description why the last attempt failed; null: it has not */
                        error: string | null;
                        /** @description the duration of the last attempt in milliseconds */
                        duration_ms: number | null;
                        /** @description the last attempt, as YYYY-MM-DD HH:MM:SS in UTC */
                        attempted_at: string | null;
                        /** @description the next attempt, as YYYY-MM-DD HH:MM:SS in UTC */
                        next_attempt_at: string | null;
                        /** @description when the event was queued, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description the body that is sent */
                        payload: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`, `no_such_delivery`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook" | "no_such_delivery";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
                /** @description the id of the delivery */
                delivery_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a delivery again */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the id of the delivery */
                        id: number;
                        /** @description the header webhook-id of its attempts */
                        message: string;
                        /** @description the type of the event */
                        event: string;
                        /** @description the sequence number of the change; null: no change */
                        seq: number | null;
                        /**
                         * @description one of "pending", "delivered", "failed"
                         * @enum {string}
                         */
                        state: "pending" | "delivered" | "failed";
                        /** @description attempts since the event, or since the last replay */
                        attempts: number;
                        /** @description the status of the last response; null: there was none */
                        response_status: number | null;
                        /** @description why the last attempt failed; null: it has not */
                        error: string | null;
                        /** @description the duration of the last attempt in milliseconds */
                        duration_ms: number | null;
                        /** @description the last attempt, as YYYY-MM-DD HH:MM:SS in UTC */
                        attempted_at: string | null;
                        /** @description the next attempt, as YYYY-MM-DD HH:MM:SS in UTC */
                        next_attempt_at: string | null;
                        /** @description when the event was queued, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description the body that is sent */
                        payload: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`, `no_such_delivery`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook" | "no_such_delivery";
                        };
                    };
                };
            };
            /** @description Conflict: `webhook_disabled`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "webhook_disabled" | "plan_limit";
                        };
                    };
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the webhook */
                webhook_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description the first event that is sent again, as YYYY-MM-DD HH:MM:SS in
                     * UTC
                     */
                    since: string;
                    /**
                     * @description "failed", which is the default, or "all" for delivered ones too
                     * @enum {string}
                     */
                    state?: "failed" | "all";
                };
            };
        };
        responses: {
            /** @description Send the deliveries since a time again */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the number of deliveries that are sent again */
                        queued: number;
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_webhook`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_webhook";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `webhook_disabled`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "webhook_disabled" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `invalid_time`, `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_time" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    uploadPackage: {
        parameters: {
            query?: {
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * @description the package: a ZIP archive with manifest.json in its root; its
                     * file name ends in .pkg
                     */
                    package: string;
                    /** @description the release notes of this version */
                    notes?: string;
                };
            };
        };
        responses: {
            /** @description Upload a package */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["Upload"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `malformed_multipart`, `bad_request`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "malformed_multipart" | "bad_request" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `app_taken`, `app_suspended`, `api_disabled`,
             * `insufficient_scope`, `restricted_token`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "app_taken" | "app_suspended" | "api_disabled" | "insufficient_scope" | "restricted_token" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `app_limit`, `version_exists`, `version_not_greater`,
             * `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "app_limit" | "version_exists" | "version_not_greater" | "plan_limit";
                        };
                    };
                };
            };
            /**
             * @description Payload Too Large: `package_too_large`, `body_too_large`,
             * `chunk_too_large`.
             */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "package_too_large" | "body_too_large" | "chunk_too_large";
                        };
                    };
                };
            };
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `unreadable_package`, `package_missing`,
             * `package_name`, `invalid_notes`, `repeated_part`, `field_too_long`, `too_many_parts`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "unreadable_package" | "package_missing" | "package_name" | "invalid_notes" | "repeated_part" | "field_too_long" | "too_many_parts" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listApps: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description the id of another account to act for; for administrators */
                account?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the apps of the account */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the apps of the account */
                        apps: components["schemas"]["App"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `forbidden`, `api_disabled`, `insufficient_scope`,
             * `restricted_token`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "forbidden" | "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_account`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_account";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getApp: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description the id of the app, from its manifest */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an app and its packages */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        app: components["schemas"]["App"];
                        /** @description its packages, newest first */
                        uploads: components["schemas"]["UploadBrief"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`,
             * `bad_escape`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_app`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_app";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a package and all findings */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["Upload"];
                    };
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    withdrawUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdraw a package */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["UploadBrief"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            /** @description Conflict: `wrong_state`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state" | "plan_limit";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    publishUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Publish an approved package */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["UploadBrief"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            /** @description Conflict: `wrong_state`, `app_suspended`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state" | "app_suspended" | "plan_limit";
                        };
                    };
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listReviewQueue: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the packages that wait for a review */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description packages in review, oldest first */
                        uploads: components["schemas"]["QueuedUpload"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "bad_request" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getAnyUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a package of any account and all findings */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["Upload"];
                    };
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    downloadPackage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download the archive of a package */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `package_unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "package_unavailable";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    approveUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description one line of text, which is shown to the developer */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Approve a package that is in review or suspended */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["UploadBrief"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /**
             * @description Conflict: `wrong_state`, `version_superseded`, `app_suspended`,
             * `plan_limit`.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state" | "version_superseded" | "app_suspended" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    rejectUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description one line of text, which is shown to the developer */
                    reason: string;
                    /** @description codes of findings */
                    codes?: string[];
                };
            };
        };
        responses: {
            /** @description Reject a package that is in review or approved */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["UploadBrief"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `wrong_state`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    suspendUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description one line of text, which is shown to the developer */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Suspend a package that is approved or published */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        upload: components["schemas"]["UploadBrief"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_upload`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_upload";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `wrong_state`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    suspendApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the app, from its manifest */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description one line of text, which is shown to the developer */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Suspend an app with its published, approved and future packages */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        app: components["schemas"]["App"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_app`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_app";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            409: components["responses"]["PlanLimit"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    reinstateApp: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the app, from its manifest */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End the suspension of an app */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        app: components["schemas"]["App"];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_app`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_app";
                        };
                    };
                };
            };
            409: components["responses"]["PlanLimit"];
            /** @description Unprocessable Entity: `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listStoreApps: {
        parameters: {
            query?: {
                /**
                 * @description the maximum number of items of a page, 1 to 1000; 100 with `cursor`
                 * alone; without both, the list is whole, up to 10,000 items
                 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /**
                 * @description only items whose name, id or category contains this text, in any
                 * case
                 */
                q?: string;
                /** @description the order, descending with "-"; the default is "name" */
                sort?: "name" | "-name" | "app_id" | "-app_id" | "published_at" | "-published_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the published apps */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the published apps */
                        apps: components["schemas"]["StoreApp"][];
                        /** @description the cursor of the next page; null: nothing follows */
                        next_cursor: string | null;
                        /**
                         * @description the number of items on all pages; null on later pages, and
                         * where counting would read the whole list
                         */
                        total: number | null;
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description Bad Request: `invalid_limit`, `invalid_cursor`, `invalid_sort`,
             * `bad_request`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_limit" | "invalid_cursor" | "invalid_sort" | "bad_request";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `store_unavailable`, `busy`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "store_unavailable" | "busy";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getStoreApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the app, from its manifest */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a published app */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        app: components["schemas"]["StoreApp"];
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_app`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_app";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `store_unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "store_unavailable";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    downloadStoreIcon: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the app, from its manifest */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download the icon of a published app */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png, image/jpeg or image/webp": unknown;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_app`, `no_icon`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_app" | "no_icon";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `package_unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "package_unavailable";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    downloadStorePackage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the app, from its manifest */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download the package of a published app */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description Partial Content. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_app`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_app";
                        };
                    };
                };
            };
            /** @description Range Not Satisfiable: `range_not_satisfiable`. */
            416: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "range_not_satisfiable";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `package_unavailable`, `store_unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "package_unavailable" | "store_unavailable";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    listStoreKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the keys that sign packages */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description all keys, newest first */
                        keys: components["schemas"]["StoreKey"][];
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    rotateStoreKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description the number of days for which the previous key also signs, 0 to
                     * 3650; the default is 90
                     */
                    overlap_days?: number;
                };
            };
        };
        responses: {
            /** @description Create a new store key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description all keys, newest first */
                        keys: components["schemas"]["StoreKey"][];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`,
             * `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `too_many_store_keys`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "too_many_store_keys" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /**
             * @description Service Unavailable: `store_unavailable`, `write_conflict`,
             * `feature_level`, `stopping`, `overloaded`, `busy`, `clock_off`.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "store_unavailable" | "write_conflict" | "feature_level" | "stopping" | "overloaded" | "busy" | "clock_off";
                        };
                    };
                };
            };
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    revokeStoreKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a retry safe when a response was lost: for 24 hours, the same
                 * key and body return the first response.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the store_key */
                store_key_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description one line of text, which everybody can read */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Revoke a store key, for example because it leaked */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Waypost-Revision": components["headers"]["X-Waypost-Revision"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description all keys, newest first */
                        keys: components["schemas"]["StoreKey"][];
                        /**
                         * @description the nodes that serve the change; omitted for a single node
                         */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /**
             * @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`,
             * `invalid_idempotency_key`, `unknown_parameter`.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape" | "malformed_json" | "invalid_idempotency_key" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description Forbidden: `api_disabled`, `insufficient_scope`, `restricted_token`,
             * `forbidden`, `csrf`.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "restricted_token" | "forbidden" | "csrf";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_store_key`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_store_key";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `store_key_revoked`, `too_many_store_keys`, `plan_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "store_key_revoked" | "too_many_store_keys" | "plan_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description Unprocessable Entity: `validation`, `unknown_field`,
             * `idempotency_key_reused`.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Otherwise"];
        };
    };
    listSdks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the issued SDKs */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the issued versions, newest first */
                        sdks: components["schemas"]["Sdk"][];
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    downloadSdk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the sequence number of a change */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download host-sdk.js of an issued SDK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_sdk`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_sdk";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    downloadSdkTypings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the sequence number of a change */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download the types of an issued SDK for TypeScript */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/typescript": unknown;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_sdk`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_sdk";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    downloadBackgroundTypings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the sequence number of a change */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download the types of background files for TypeScript */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/typescript": unknown;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`, `bad_escape`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request" | "bad_escape";
                        };
                    };
                };
            };
            /** @description Not Found: `no_such_sdk`. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "no_such_sdk";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    listRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the audit rules */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the rules, sorted by code */
                        rules: components["schemas"]["Rule"][];
                    };
                    "text/html": string;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getSandboxPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the sandbox policy */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        policy: components["schemas"]["SandboxPolicy"];
                    };
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Not Modified. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `bad_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "bad_request";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
}
