// Made by "npm run openapi" from GET /api/v1/openapi.json; not to be edited.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process lives */
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
        /** Whether it serves: all changes applied, all listeners open */
        get: operations["getReadiness"];
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
         * @description In the text format of Prometheus, or OpenMetrics when Accept asks for it.
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
         * Exchange login and password for a token
         * @description The token has all scopes that the role allows, and ends when the password is changed; for programs that are to go on, make one by POST /api/v1/tokens. An Idempotency-Key has no effect here.
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
         * @description It can do no more than the token at hand, and does not outlive it; without `scopes` and `expires_at` just as much and as long.
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
         * @description It ends with this answer.
         */
        delete: operations["revokeToken"];
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
         * @description Secondaries sign with it what they ask (AXFR, IXFR), and clients their dynamic updates (RFC 8945, RFC 2136). It can do no more than the token at hand. A key of an administrator reads the zones of all accounts.
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
         * @description It ends with this answer.
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
        /** The account of the token, and what it uses */
        get: operations["getOwnAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an account and its tokens
         * @description Its domains are to be deleted first, by a token of its own.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        /**
         * Change an account
         * @description What is left out stays. With `api_enabled` false its tokens are refused from the next request on. A new password ends all tokens that the exchange gave for the old one, but for the token at hand; those made by POST /api/v1/tokens stay, as do TSIG keys.
         */
        patch: operations["updateAccount"];
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
         * Who changed what, newest first
         * @description The account's own; for administrators those of all accounts.
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
         * Which nodes serve a change
         * @description The sequence is the X-Waypost-Revision of a write.
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
        /** Create a domain */
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
        /** One domain */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /** Delete a domain with all its records */
        delete: operations["deleteDomain"];
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
         * @description The id does not change. `ttl` and `proxied` keep their values when they are omitted.
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
         * @description All changes are made in one revision, or none. Deletions and replacements are applied first, so the order within a batch does not matter.
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
         * @description Everything that Knot, NSD and BIND load is imported; `warnings` lists questionable records. DNSSEC records are dropped, with a warning.
         */
        put: operations["importZone"];
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
        /** The proxy of a domain: whether it is on, origin, certificate, names that tell where the origin is */
        get: operations["getProxy"];
        /**
         * Set the origin: the web server behind the proxy
         * @description A public address or a host name, every address of which must be public, and whether browsers are told to come by HTTPS alone. Whether the proxy is on stays as it is.
         */
        put: operations["setProxyOrigin"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description From the answer on, the domain's web names are answered with the addresses of the proxy, or with their records again; for ten minutes after it was turned off, visitors who still have the old addresses are served. Without an origin the first address record of the domain itself becomes it.
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
         * Bring a certificate of your own
         * @description A chain, the leaf first, and its key: RSA of 2048 to 4096 bits, or ECDSA P-256 or P-384. It is served until it is replaced or deleted. The key is stored encrypted and never shown.
         */
        put: operations["setCertificate"];
        /** Order the certificate anew, now */
        post: operations["orderCertificate"];
        /** Go back from your own certificate to the automatic one */
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
         * Empty the proxy's cache of the domain, on every node
         * @description All of it, or what the lists name. A prefix stands for both schemes, and for the path and all below it.
         */
        post: operations["purgeCache"];
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
         * @description It is audited at once. The answer waits some seconds for the verdict; "status" is "pending" or "scanning" when that takes longer, and "url" says where to look again. The first package of an app makes the app the account's.
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
        /** Read an app and its packages */
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
         * Read a package with all that was found in it
         * @description As text for people when Accept asks for text/plain.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * Withdraw a package
         * @description It is not audited, reviewed or published any more; its versionCode can not be used again.
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
         * @description It takes the place of the one that is published. Nothing to do where the service publishes by itself.
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
        /** List the packages that wait for a person */
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
         * Read a package of any account, with all that was found in it
         * @description As text for people when Accept asks for text/plain.
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
        /** Get a package itself, to look at it */
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
        /** Approve a package that is in review, or take back its suspension */
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
        /** Suspend an app: what is published or approved of it, and what might come */
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
         * Take back the suspension of an app
         * @description Its packages stay suspended, each until it is approved.
         */
        post: operations["reinstateApp"];
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
         * List the rules of audits
         * @description As a page for people when Accept asks for text/html first, as browsers do; "url" of a finding leads to its rule there.
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
            id: string;
            username: string;
            /** @description its e-mail address, which is a login too */
            email: string | null;
            /**
             * @description one of "admin", "user", "viewer"
             * @enum {string}
             */
            role: "admin" | "user" | "viewer";
            plan: string;
            /** @description whether its tokens are taken */
            api_enabled: boolean;
            /** @description when it was made, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
        };
        /** @description The state of the target of an ALIAS; only in lists, and only for ALIAS records. */
        Alias: {
            /**
             * @description "stale": the lookup fails and the last good addresses are served; "failed": there are no addresses and the answer is SERVFAIL
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
            /** @description where the newest package stands, or null when there is none any more */
            audit_status: ("pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn") | null;
            /** @description how much was found, or null as long as there is no verdict */
            summary: components["schemas"]["AuditSummary"] | null;
            /** @description the newest package */
            latest: components["schemas"]["UploadBrief"] | null;
            /** @description the package that is published, or null */
            published: components["schemas"]["UploadBrief"] | null;
            /** @description why nothing of it may be published, or null */
            suspended: string | null;
            /** @description when its first package came, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when anything of it changed last, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
        };
        AuditEntry: {
            /** @description the id of the entry */
            id: string;
            /** @description when it was done, as YYYY-MM-DD HH:MM:SS in UTC */
            at: string;
            /** @description who did it; null: the service itself */
            actor: {
                /** @description the id of the account that did it */
                id: string;
                username: string;
                /** @description the token or TSIG key that was used */
                token_id: string | null;
                /** @description its label */
                token_name: string | null;
            } | null;
            /** @description the id of the account whose things were changed */
            account_id: string;
            /** @description what was done, as "record.create" */
            action: string;
            /** @description the domain that it was done to */
            domain: string | null;
            /** @description the id of what was changed */
            target: string | null;
            /** @description what has become of it */
            detail: {
                [key: string]: unknown;
            };
            /** @description the sequence of the change */
            revision: number;
            /** @description the X-Request-Id of the request */
            request_id: string;
            /** @description where the request came from */
            remote_address: string;
        };
        AuditSummary: {
            /** @description what keeps it from being published */
            errors: number;
            /** @description what should be mended */
            warnings: number;
            /** @description what is told only */
            notices: number;
            /** @description of these, what a person looks at */
            review: number;
            /** @description of these, what is not in the list */
            omitted: number;
        };
        Domain: {
            /** @description the id of the domain */
            id: string;
            /** @description its name, in A-labels, without the last dot */
            domain: string;
            /** @description where the registrar has to point */
            nameservers: string[];
            /** @description how many records it has */
            record_count: number;
            /** @description the sequence of its last change */
            revision: number;
            /** @description whether visitors come through the proxy */
            proxy_enabled: boolean;
            /** @description when it was made, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it or its records were last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
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
                    /** @description a JSON pointer (RFC 6901) to the field of the body that is wrong */
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
        ExposedRecord: {
            /** @description relative to the domain; "@" is the domain itself */
            name: string;
            /** @description such as "A" */
            type: string;
            /** @description in presentation form; cut when it is long */
            content: string;
            /** @description what tells where the origin is, and what to do */
            why: string;
        };
        Finding: {
            /**
             * @description one of "error", "warning", "notice"
             * @enum {string}
             */
            type: "error" | "warning" | "notice";
            /** @description the rule, which stays as it is */
            code: string;
            /** @description what is wrong here */
            message: string;
            /** @description the file of the package, or null for the package itself */
            file: string | null;
            /** @description the line, from 1 */
            line: number | null;
            /** @description the column, from 1, in UTF-16 units */
            column: number | null;
            /** @description what stands there */
            excerpt: string | null;
            /** @description what to do instead */
            fix: string;
            /** @description the path where the rule is explained, on a page for browsers */
            url: string;
        };
        ImportWarning: {
            /** @description the line of the file, from 1 */
            line: number;
            /** @description such as "occluded"; stable */
            code: string;
            /** @description for people to read */
            message: string;
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
            /** @description true or false, whether the name is proxied while the proxy of the domain is on; null: the service decides */
            proxied?: boolean | null;
            /** @description as in the response; ignored */
            readonly id?: unknown;
            /** @description as in the response; ignored */
            readonly data?: unknown;
            /** @description as in the response; ignored */
            readonly alias?: unknown;
            /** @description as in the response; ignored */
            readonly created_at?: unknown;
            /** @description as in the response; ignored */
            readonly updated_at?: unknown;
        };
        OwnAccount: {
            /** @description the id of the account */
            id: string;
            username: string;
            /**
             * @description one of "admin", "user", "viewer"
             * @enum {string}
             */
            role: "admin" | "user" | "viewer";
            /** @description how many domains it has */
            domain_count: number;
            /** @description how many records all its domains have */
            dns_record_count: number;
            limits: {
                plan: string;
                /** @description whether it may have any number of domains */
                is_unlimited: boolean;
                /** @description a number, or "unlimited" */
                max_domains_display: string;
            };
        };
        Proxy: {
            /** @description the id of the domain */
            domain_id: string;
            /**
             * @description 1 while visitors come through the proxy
             * @enum {integer}
             */
            is_enabled: 0 | 1;
            /** @description address or host name of the web server behind the proxy; null until it is set */
            origin_host: string | null;
            /** @description its port */
            origin_port: number | null;
            /** @description how it is spoken to */
            origin_protocol: ("http" | "https") | null;
            /** @description seconds for which browsers are told to come by HTTPS alone (Strict-Transport-Security, RFC 6797); 0 takes back what they remember, null says nothing */
            hsts_max_age: number | null;
            /** @description whether the cache guesses how long a response without a lifetime is fresh (RFC 9111 section 4.2.2) also for requests with Cookie or Authorization, URLs with a query, and responses with Pragma or Vary: Cookie */
            heuristic_freshness: boolean;
            /**
             * @description the state of the certificate that visitors see: "none"; "pending", the first one is being ordered; "active"; "renewing", another is being ordered while the one before serves on; "error", there is none, and ssl_error says why
             * @enum {string}
             */
            ssl_status: "none" | "pending" | "active" | "renewing" | "error";
            /** @description when the certificate was issued, as YYYY-MM-DD HH:MM:SS in UTC */
            ssl_issued_at: string | null;
            /** @description when it expires, as YYYY-MM-DD HH:MM:SS in UTC */
            ssl_expires_at: string | null;
            /** @description what is wrong with the certificate, and what to do: why there is none, why it could not be renewed, or which names it leaves out; or null */
            ssl_error: string | null;
            /** @description the records that tell where the origin is though the proxy is on, at most 100; as it would be, while it is off */
            exposed: components["schemas"]["ExposedRecord"][];
        };
        Record: {
            /** @description the id of the record */
            id: string;
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
            /** @description whether the name is proxied while the proxy of the domain is on; null: the service decides */
            proxied: boolean | null;
            /** @description when it was created, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it was last changed, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            alias?: components["schemas"]["Alias"];
        };
        Rule: {
            /** @description the code of its findings */
            code: string;
            /**
             * @description one of "error", "warning", "notice"
             * @enum {string}
             */
            type: "error" | "warning" | "notice";
            /** @description whether a person has to look before the package is approved */
            review: boolean;
            /** @description why it is a rule, and what exactly it looks for */
            about: string;
            /** @description what to do instead */
            fix: string;
            /** @description the path where it is explained, on a page for browsers */
            url: string;
            /** @description the rule in a line */
            title: string;
        };
        Token: {
            /** @description the id of the token */
            id: string;
            /** @description its label */
            name: string;
            /** @description how it begins */
            prefix: string;
            /** @description what it may do */
            scopes: string[];
            /** @description whether it was given for the password, and ends when that is changed */
            by_password: boolean;
            /** @description when it was made, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when it ends; null: never */
            expires_at: string | null;
        };
        TsigKey: {
            /** @description the id of the key */
            id: string;
            /** @description its name, without the last dot */
            name: string;
            /**
             * @description the algorithm of the signatures
             * @enum {string}
             */
            algorithm: "hmac-sha256" | "hmac-sha512";
            /** @description what it may do */
            scopes: string[];
            /** @description the domains that it is good for; null: all of the account */
            domain_ids: string[] | null;
            /** @description when it was made, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
        };
        Upload: {
            /** @description the id of the upload */
            id: string;
            /** @description the id of the app, as the manifest has it */
            app_id: string;
            /** @description the version, for people */
            version: string;
            /** @description the version, which rises with each */
            version_code: number;
            /**
             * @description where it stands
             * @enum {string}
             */
            status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
            /** @description the path where it is to be read */
            url: string;
            /** @description when it was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when its status changed last, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            /** @description of the package */
            sha256: string;
            /** @description bytes of the package */
            size: number;
            /** @description what was sent along, or null */
            notes: string | null;
            audit: {
                /** @description how much was found, or null as long as there is no verdict */
                summary: components["schemas"]["AuditSummary"] | null;
                /** @description what was found, by file and line */
                findings: components["schemas"]["Finding"][];
            };
            /** @description its way so far */
            history: {
                /**
                 * @description where it stands
                 * @enum {string}
                 */
                status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
                /** @description when, as YYYY-MM-DD HH:MM:SS in UTC */
                at: string;
                /** @description the username of who did it, or null for the service */
                by: string | null;
                /** @description why, where it does not say itself */
                reason: string | null;
                /** @description codes of findings that the reason is about */
                codes: string[];
            }[];
        };
        UploadBrief: {
            /** @description the id of the upload */
            id: string;
            /** @description the id of the app, as the manifest has it */
            app_id: string;
            /** @description the version, for people */
            version: string;
            /** @description the version, which rises with each */
            version_code: number;
            /**
             * @description where it stands
             * @enum {string}
             */
            status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
            /** @description the path where it is to be read */
            url: string;
            /** @description when it was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
            created_at: string;
            /** @description when its status changed last, as YYYY-MM-DD HH:MM:SS in UTC */
            updated_at: string;
            /** @description how much was found, or null as long as there is no verdict */
            summary: components["schemas"]["AuditSummary"] | null;
        };
    };
    responses: {
        /** @description Unauthorized: `missing_token`, `malformed_token`, `invalid_token`, `expired_token`. */
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
                        code: "missing_token" | "malformed_token" | "invalid_token" | "expired_token";
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
        /** @description Service Unavailable: `write_conflict`, `stopping`. */
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
                        code: "write_conflict" | "stopping";
                    };
                };
            };
        };
        /** @description 408 `header_too_slow`; 413 `chunk_too_large`; 417 `unknown_expectation`; 431 `header_too_large`, `too_many_fields`; 500 `internal`; 501 `unknown_coding`. */
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
        /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
        IdempotencyKey: string;
        /** @description The ETag of an earlier read: the write fails with 412 when the domain has changed since. */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of the request in the log and in the audit log. */
        "X-Request-Id": string;
        /** @description The sequence number of the change; GET /api/v1/changes/{seq} lists the nodes that serve it. */
        "X-Waypost-Revision": number;
        /** @description This is the stored response to an earlier request with the same Idempotency-Key. */
        "Idempotent-Replayed": "true";
        /** @description The revision of the domain, for If-Match. */
        ETag: string;
        /** @description The URL of the next page (RFC 8288). */
        Link: string;
        /** @description The remaining quota: `"<name>";r=<requests>;t=<seconds until the quota is full, or until the next request is allowed>`. */
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
            /** @description Whether the process lives */
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
            /** @description Whether it serves: all changes applied, all listeners open */
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
                        /** @description what is not ready yet */
                        reasons: string[];
                        /** @description what is wrong and does not keep it from serving, such as that etcd does not answer */
                        warnings: string[];
                        /** @description how it stands to the other nodes; left out when there are none */
                        cluster?: {
                            /** @description what it does */
                            state: "starting" | "following" | "catching_up" | "fetching" | "without_etcd" | "cut_off" | "stuck" | "lost";
                            /** @description changes that others are known to have and it has not applied */
                            lag_entries: number;
                            /** @description for so long others may have known more than it serves */
                            lag_seconds: number;
                            /** @description since etcd has answered */
                            etcd_seconds: number | null;
                            /** @description nodes that have not applied all that this one has */
                            pending: string[];
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
                        /** @description what is not ready yet */
                        reasons: string[];
                        /** @description what is wrong and does not keep it from serving, such as that etcd does not answer */
                        warnings: string[];
                        /** @description how it stands to the other nodes; left out when there are none */
                        cluster?: {
                            /** @description what it does */
                            state: "starting" | "following" | "catching_up" | "fetching" | "without_etcd" | "cut_off" | "stuck" | "lost";
                            /** @description changes that others are known to have and it has not applied */
                            lag_entries: number;
                            /** @description for so long others may have known more than it serves */
                            lag_seconds: number;
                            /** @description since etcd has answered */
                            etcd_seconds: number | null;
                            /** @description nodes that have not applied all that this one has */
                            pending: string[];
                        };
                    };
                };
            };
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
                    /** @description a string of 1 to 200 characters on one line, the label that tells the token from others */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Exchange login and password for a token */
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
                        /** @description the token; it is told only this once */
                        token: string;
                        /** @description the part of it that lists show */
                        prefix: string;
                        user: {
                            /** @description the id of the account */
                            id: string;
                            username: string;
                            /** @description "admin", "user" or "viewer" */
                            role: string;
                            plan: string;
                        };
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Unauthorized: `bad_credentials`. */
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
                            code: "bad_credentials";
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
            /** @description Conflict: `token_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "token_limit";
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
            /** @description Service Unavailable: `busy`, `write_conflict`, `stopping`. */
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
                            code: "busy" | "write_conflict" | "stopping";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
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
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `unknown_parameter`. */
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
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string of 1 to 200 characters on one line, the label that tells the token from others */
                    name: string;
                    /** @description a list of scopes, such as ["dns", "account:read"] */
                    scopes?: string[];
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
                        /** @description the token; it is told only this once */
                        token: string;
                        /** @description the id of the token */
                        id: string;
                        /** @description its label */
                        name: string;
                        /** @description how it begins */
                        prefix: string;
                        /** @description what it may do */
                        scopes: string[];
                        /** @description whether it was given for the password, and ends when that is changed */
                        by_password: boolean;
                        /** @description when it was made, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description when it ends; null: never */
                        expires_at: string | null;
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `token_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "token_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_scope`, `invalid_time`, `validation`, `unknown_field`, `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_scope" | "invalid_time" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the token */
                token_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    listTsigKeys: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
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
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `unknown_parameter`. */
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
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    createTsigKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a domain name, by which both sides call the key, such as "transfer.example.net" */
                    name: string;
                    /**
                     * @description the algorithm of the signatures; "hmac-sha256" if left out
                     * @enum {string}
                     */
                    algorithm?: "hmac-sha256" | "hmac-sha512";
                    /** @description a list of "dns:read" (transfer zones) and "dns" (update them, too) */
                    scopes?: string[];
                    /** @description the ids of the domains that it is good for, or null for all of the account */
                    domain_ids?: string[] | null;
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
                        /** @description the secret in base64; it is told only this once */
                        secret: string;
                        /** @description the id of the key */
                        id: string;
                        /** @description its name, without the last dot */
                        name: string;
                        /**
                         * @description the algorithm of the signatures
                         * @enum {string}
                         */
                        algorithm: "hmac-sha256" | "hmac-sha512";
                        /** @description what it may do */
                        scopes: string[];
                        /** @description the domains that it is good for; null: all of the account */
                        domain_ids: string[] | null;
                        /** @description when it was made, as YYYY-MM-DD HH:MM:SS in UTC */
                        created_at: string;
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `tsig_key_exists`, `tsig_key_limit`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "tsig_key_exists" | "tsig_key_limit";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_name`, `invalid_scope`, `validation`, `unknown_field`, `idempotency_key_reused`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    deleteTsigKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the key */
                key_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    getOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account of the token, and what it uses */
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
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
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
                        /** @description in the order in which they were made */
                        accounts: components["schemas"]["Account"][];
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string of 1 to 63 letters, digits, dots, hyphens and underscores that begins with a letter or digit */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `username_taken`, `email_taken`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "username_taken" | "email_taken";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_plan`, `validation`, `unknown_field`, `idempotency_key_reused`. */
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
            /** @description Service Unavailable: `busy`, `write_conflict`, `stopping`. */
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
                            code: "busy" | "write_conflict" | "stopping";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the account */
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete an account and its tokens */
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
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `has_domains`, `has_apps`, `last_admin`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "has_domains" | "has_apps" | "last_admin";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the account */
                account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string of 1 to 63 letters, digits, dots, hyphens and underscores that begins with a letter or digit */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `username_taken`, `email_taken`, `last_admin`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "username_taken" | "email_taken" | "last_admin";
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
            /** @description Service Unavailable: `busy`, `write_conflict`, `stopping`. */
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
                            code: "busy" | "write_conflict" | "stopping";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description only changes of this domain */
                domain?: string;
                /** @description only this action, or those that begin with it, as "record" */
                action?: string;
                /** @description only what was done to this account; for administrators */
                account_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who changed what, newest first */
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
                        /** @description the newest first */
                        entries: components["schemas"]["AuditEntry"][];
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `unknown_parameter`. */
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
            429: components["responses"]["TooManyRequests"];
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
            /** @description Which nodes serve a change */
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
                        /** @description the sequence that was asked for */
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
    listDomains: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description only domains whose name contains this */
                q?: string;
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
                        /** @description in canonical order of their names */
                        domains: components["schemas"]["Domain"][];
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `unknown_parameter`. */
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
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    createDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Unprocessable Entity: `invalid_domain`, `invalid_name`, `public_suffix`, `validation`, `unknown_field`, `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_domain" | "invalid_name" | "public_suffix" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One domain */
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
            query?: never;
            header?: {
                /** @description The ETag of an earlier read: the write fails with 412 when the domain has changed since. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            412: components["responses"]["Changed"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
                limit?: number;
                /** @description the next_cursor of the previous page */
                cursor?: string;
                /** @description only records with this name, written as in a record */
                name?: string;
                /** @description only records of this type */
                type?: string;
                /** @description only records with this content, in any equivalent spelling */
                content?: string;
            };
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: string;
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
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
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
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `bad_escape`, `unknown_parameter`. */
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
            /** @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    createRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of an earlier read: the write fails with 412 when the domain has changed since. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `cname_at_apex`, `cname_conflict`, `alias_conflict`, `dname_conflict`, `record_exists`, `occluded`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "cname_at_apex" | "cname_conflict" | "alias_conflict" | "dname_conflict" | "record_exists" | "occluded";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`, `invalid_content`, `invalid_ttl`, `invalid_host`, `not_proxiable`, `target_is_cname`, `soa_is_ours`, `apex_ns_is_ours`, `ds_at_apex`, `ns_at_wildcard`, `too_many_types`, `rrset_too_large`, `name_too_large`, `validation`, `unknown_field`, `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "name_outside" | "invalid_type" | "invalid_content" | "invalid_ttl" | "invalid_host" | "not_proxiable" | "target_is_cname" | "soa_is_ours" | "apex_ns_is_ours" | "ds_at_apex" | "ns_at_wildcard" | "too_many_types" | "rrset_too_large" | "name_too_large" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    replaceRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier read: the write fails with 412 when the domain has changed since. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
                /** @description the id of the record */
                record_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `cname_at_apex`, `cname_conflict`, `alias_conflict`, `dname_conflict`, `record_exists`, `occluded`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "cname_at_apex" | "cname_conflict" | "alias_conflict" | "dname_conflict" | "record_exists" | "occluded";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`, `invalid_content`, `invalid_ttl`, `invalid_host`, `not_proxiable`, `target_is_cname`, `soa_is_ours`, `apex_ns_is_ours`, `ds_at_apex`, `ns_at_wildcard`, `too_many_types`, `rrset_too_large`, `name_too_large`, `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "name_outside" | "invalid_type" | "invalid_content" | "invalid_ttl" | "invalid_host" | "not_proxiable" | "target_is_cname" | "soa_is_ours" | "apex_ns_is_ours" | "ds_at_apex" | "ns_at_wildcard" | "too_many_types" | "rrset_too_large" | "name_too_large" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    deleteRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier read: the write fails with 412 when the domain has changed since. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
                /** @description the id of the record */
                record_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            412: components["responses"]["Changed"];
            /** @description Unprocessable Entity: `apex_ns_is_ours`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "apex_ns_is_ours";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    changeRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of an earlier read: the write fails with 412 when the domain has changed since. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a list of record ids */
                    delete?: string[];
                    /** @description a list of records, each with the id of the record to replace */
                    put?: {
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
                        /** @description true or false, whether the name is proxied while the proxy of the domain is on; null: the service decides */
                        proxied?: boolean | null;
                        /** @description a string, the id of a record */
                        id: string;
                        /** @description as in the response; ignored */
                        readonly data?: unknown;
                        /** @description as in the response; ignored */
                        readonly alias?: unknown;
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
                        /** @description the ids of the deleted records */
                        deleted: string[];
                        /** @description in the order of "put" */
                        updated: components["schemas"]["Record"][];
                        /** @description in the order of "post" */
                        created: components["schemas"]["Record"][];
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `cname_at_apex`, `cname_conflict`, `alias_conflict`, `dname_conflict`, `record_exists`, `occluded`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "cname_at_apex" | "cname_conflict" | "alias_conflict" | "dname_conflict" | "record_exists" | "occluded";
                        };
                    };
                };
            };
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_name`, `name_outside`, `invalid_type`, `invalid_content`, `invalid_ttl`, `invalid_host`, `not_proxiable`, `target_is_cname`, `soa_is_ours`, `apex_ns_is_ours`, `ds_at_apex`, `ns_at_wildcard`, `too_many_types`, `rrset_too_large`, `name_too_large`, `batch_too_large`, `named_twice`, `validation`, `unknown_field`, `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_name" | "name_outside" | "invalid_type" | "invalid_content" | "invalid_ttl" | "invalid_host" | "not_proxiable" | "target_is_cname" | "soa_is_ours" | "apex_ns_is_ours" | "ds_at_apex" | "ns_at_wildcard" | "too_many_types" | "rrset_too_large" | "name_too_large" | "batch_too_large" | "named_twice" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    exportZone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: string;
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
    importZone: {
        parameters: {
            query?: {
                /** @description "keep" uses the SOA timers and apex NS of the file, "service" (the default) ignores them */
                apex?: "keep" | "service";
                /** @description "true" treats warnings as errors, so nothing is imported; "false" is the default */
                strict?: "true" | "false";
            };
            header?: {
                /** @description The ETag of an earlier read: the write fails with 412 when the domain has changed since. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
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
                        /** @description the number of records in the zone, without its SOA */
                        records: number;
                        /** @description questionable records that were imported, sorted by line, at most 1000; omitted when there are none */
                        warnings?: components["schemas"]["ImportWarning"][];
                        /** @description the number of further warnings; omitted when there are none */
                        warnings_omitted?: number;
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `invalid_apex`, `invalid_strict`, `bad_request`, `bad_escape`, `unknown_parameter`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_apex" | "invalid_strict" | "bad_request" | "bad_escape" | "unknown_parameter";
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    getProxy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proxy of a domain: whether it is on, origin, certificate, names that tell where the origin is */
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
                            id: string;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /** @description what was done but may not be what is wanted; left out when there is nothing */
                        warnings?: string[];
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
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string, a public IPv4 or IPv6 address or a host name, such as "origin.example.net" */
                    origin?: string;
                    /** @description a string, a public IPv4 or IPv6 address or a host name, such as "origin.example.net"; another name of "origin" */
                    origin_host?: string;
                    /** @description a whole number from 1 to 65535; 443 if left out */
                    port?: number;
                    /** @description a whole number from 1 to 65535; another name of "port" */
                    origin_port?: number;
                    /**
                     * @description "http" or "https"; if left out, https for port 443 and http for port 80
                     * @enum {string}
                     */
                    protocol?: "http" | "https";
                    /**
                     * @description "http" or "https"; another name of "protocol"
                     * @enum {string}
                     */
                    origin_protocol?: "http" | "https";
                    /** @description null or a whole number of seconds, at most 63072000, for which browsers are told to come by HTTPS alone (Strict-Transport-Security, RFC 6797); 0 takes back what they remember, null says nothing; if left out, what was set stays */
                    hsts_max_age?: number | null;
                    /** @description true or false, whether the cache guesses how long a response without a lifetime is fresh (RFC 9111 section 4.2.2) also for requests with Cookie or Authorization, URLs with a query, and responses with Pragma or Vary: Cookie; if left out, what was set stays */
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
                    readonly exposed?: unknown;
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
                            id: string;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /** @description what was done but may not be what is wanted; left out when there is nothing */
                        warnings?: string[];
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_origin`, `private_origin`, `origin_loop`, `origin_unresolvable`, `protocol_required`, `contradiction`, `validation`, `unknown_field`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_origin" | "private_origin" | "origin_loop" | "origin_unresolvable" | "protocol_required" | "contradiction" | "validation" | "unknown_field";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`, `resolver_unavailable`, `write_conflict`, `stopping`. */
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
                            code: "busy" | "resolver_unavailable" | "write_conflict" | "stopping";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    toggleProxy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description true or false, whether visitors are to come through the proxy */
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
                            id: string;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /** @description what was done but may not be what is wanted; left out when there is nothing */
                        warnings?: string[];
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `origin_required`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "origin_required";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_origin`, `private_origin`, `origin_loop`, `origin_unresolvable`, `validation`, `unknown_field`, `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "invalid_origin" | "private_origin" | "origin_loop" | "origin_unresolvable" | "validation" | "unknown_field" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** @description Service Unavailable: `busy`, `resolver_unavailable`, `write_conflict`, `stopping`. */
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
                            code: "busy" | "resolver_unavailable" | "write_conflict" | "stopping";
                        };
                    };
                };
            };
            default: components["responses"]["Otherwise"];
        };
    };
    setCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description a string of at most 65536 characters, the certificate in PEM form with its chain, the leaf first */
                    certificate: string;
                    /** @description a string of at most 65536 characters, its private key in PEM form */
                    private_key: string;
                };
            };
        };
        responses: {
            /** @description Bring a certificate of your own */
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
                            id: string;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /** @description what was done but may not be what is wanted; left out when there is nothing */
                        warnings?: string[];
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_certificate`, `invalid_private_key`, `unsupported_key`, `key_mismatch`, `certificate_chain`, `certificate_expired`, `certificate_not_yet_valid`, `certificate_names`, `certificate_usage`, `certificate_must_staple`, `validation`, `unknown_field`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    orderCertificate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Order the certificate anew, now */
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
                            id: string;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /** @description what was done but may not be what is wanted; left out when there is nothing */
                        warnings?: string[];
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `proxy_disabled`, `certificate_custom`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "proxy_disabled" | "certificate_custom";
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
            default: components["responses"]["Otherwise"];
        };
    };
    deleteCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Go back from your own certificate to the automatic one */
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
                            id: string;
                            /** @description its name, in A-labels, without the last dot */
                            domain: string;
                        };
                        proxy: components["schemas"]["Proxy"];
                        /** @description what was done but may not be what is wanted; left out when there is nothing */
                        warnings?: string[];
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    purgeCache: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the domain */
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description a list of 1 to 100 strings, each a URL in full, such as "https://www.example.com/a.css"; left out, with the other lists, everything is purged */
                    urls?: string[];
                    /** @description a list of 1 to 100 strings, each a host and the beginning of a path, such as "www.example.com/news/"; left out, with the other lists, everything is purged */
                    prefixes?: string[];
                    /** @description a list of 1 to 100 strings, each a tag that the origin sends in Cache-Tag: it must be 1 to 1024 printable ASCII characters without commas, and without spaces around it; left out, with the other lists, everything is purged */
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description Empty the proxy's cache of the domain, on every node */
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
                            id: string;
                            /** @description the id of the domain */
                            domain_id: string;
                            /** @description whether all of the domain is purged */
                            everything: boolean;
                            /** @description normalised */
                            urls: string[];
                            /** @description normalised, host and path; for both schemes */
                            prefixes: string[];
                            /** @description as they were given */
                            tags: string[];
                            /** @description when it was asked for, as YYYY-MM-DD HH:MM:SS in UTC */
                            requested_at: string;
                        };
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `invalid_url`, `invalid_prefix`, `invalid_tag`, `validation`, `unknown_field`, `idempotency_key_reused`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    uploadPackage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description the package: a ZIP archive, .pkg by its name, with manifest.json in its root */
                    package: string;
                    /** @description what whoever reviews it should know */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `malformed_multipart`, `bad_request`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `app_taken`, `app_suspended`, `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "app_taken" | "app_suspended" | "api_disabled" | "insufficient_scope" | "forbidden";
                        };
                    };
                };
            };
            408: components["responses"]["BodyTooSlow"];
            /** @description Conflict: `app_limit`, `version_exists`, `version_not_greater`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "app_limit" | "version_exists" | "version_not_greater";
                        };
                    };
                };
            };
            /** @description Payload Too Large: `package_too_large`, `body_too_large`, `chunk_too_large`. */
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
            /** @description Unprocessable Entity: `unreadable_package`, `package_missing`, `invalid_notes`, `repeated_part`, `field_too_long`, `too_many_parts`, `idempotency_key_reused`. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "unreadable_package" | "package_missing" | "invalid_notes" | "repeated_part" | "field_too_long" | "too_many_parts" | "idempotency_key_reused";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    listApps: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
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
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `unknown_parameter`. */
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
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getApp: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
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
            /** @description Read an app and its packages */
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
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `bad_escape`, `unknown_parameter`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the upload */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a package with all that was found in it */
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
                upload_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `wrong_state`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Otherwise"];
        };
    };
    publishUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: string;
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `wrong_state`, `app_suspended`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state" | "app_suspended";
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
            default: components["responses"]["Otherwise"];
        };
    };
    listReviewQueue: {
        parameters: {
            query?: {
                /** @description the maximum number of items, 1 to 1000; the default is 100 */
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
            /** @description List the packages that wait for a person */
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
                        uploads: {
                            /** @description the id of the upload */
                            id: string;
                            /** @description the id of the app, as the manifest has it */
                            app_id: string;
                            /** @description the version, for people */
                            version: string;
                            /** @description the version, which rises with each */
                            version_code: number;
                            /**
                             * @description where it stands
                             * @enum {string}
                             */
                            status: "pending" | "scanning" | "rejected" | "in_review" | "approved" | "published" | "superseded" | "suspended" | "withdrawn";
                            /** @description the path where it is to be read */
                            url: string;
                            /** @description when it was uploaded, as YYYY-MM-DD HH:MM:SS in UTC */
                            created_at: string;
                            /** @description when its status changed last, as YYYY-MM-DD HH:MM:SS in UTC */
                            updated_at: string;
                            /** @description how much was found, or null as long as there is no verdict */
                            summary: components["schemas"]["AuditSummary"] | null;
                            /** @description the id of the account */
                            account_id: string;
                            /** @description its notes */
                            notes: string | null;
                        }[];
                        /** @description the cursor of the next page, or null on the last page */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `invalid_limit`, `invalid_cursor`, `bad_request`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
                        };
                    };
                };
            };
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Otherwise"];
        };
    };
    getAnyUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the upload */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a package of any account, with all that was found in it */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a package itself, to look at it */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Approve a package that is in review, or take back its suspension */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `wrong_state`, `version_superseded`, `app_suspended`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state" | "version_superseded" | "app_suspended";
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
            default: components["responses"]["Otherwise"];
        };
    };
    rejectUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description text of one line that the developer reads */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `wrong_state`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`, `idempotency_key_reused`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    suspendUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description the id of the upload */
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description text of one line that the developer reads */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description Conflict: `wrong_state`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "wrong_state";
                        };
                    };
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`, `idempotency_key_reused`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    suspendApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
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
                    /** @description text of one line that the developer reads */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Suspend an app: what is published or approved of it, and what might come */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `malformed_json`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description Unprocessable Entity: `validation`, `unknown_field`, `idempotency_key_reused`. */
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
            default: components["responses"]["Otherwise"];
        };
    };
    reinstateApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe when a response was lost: for 24 hours, the same key and body return the first response. */
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
            /** @description Take back the suspension of an app */
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
                        /** @description the nodes that serve the change; omitted for a single node */
                        sync?: {
                            seq: number;
                            applied: string[];
                            pending: string[];
                        };
                    };
                };
            };
            /** @description Bad Request: `bad_request`, `bad_escape`, `invalid_idempotency_key`, `unknown_parameter`. */
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
            /** @description Forbidden: `api_disabled`, `insufficient_scope`, `forbidden`. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        error: {
                            /** @enum {string} */
                            code: "api_disabled" | "insufficient_scope" | "forbidden";
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
            /** @description List the rules of audits */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        /** @description the rules, by their codes */
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
