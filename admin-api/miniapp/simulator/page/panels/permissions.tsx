/** Permissions in the manifest, with the user's decisions. */
import { Labelled } from '../../../../ui/parts/labelled.tsx';
import { PERMISSION_STATES, type PermissionState, type PermissionView } from '../../protocol.ts';
import { Empty } from '../parts/panel.tsx';
import { command } from '../server.ts';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

export function PermissionsPanel() {
  const texts = TEXTS.permissions;
  const app = topics.package.value?.app;
  const permissions = topics.permissions.value;
  if (app == null || permissions === null) return <Empty text={TEXTS.phone.empty} />;
  return (
    <>
      <ul class="entries">
        {permissions.map((permission) => (
          <Permission key={permission.name} permission={permission} />
        ))}
      </ul>
      <h2>{texts.backgroundTitle}</h2>
      <p>{app.background === null ? texts.noBackground : texts.background(app.background.permissions)}</p>
    </>
  );
}

function Permission({ permission: { name, isDeclared, state } }: { readonly permission: PermissionView }) {
  const texts = TEXTS.permissions;
  return (
    <li class="entry">
      <div class="entry-text">
        <code class="entry-key">{name}</code>
        <p class="hint">{isDeclared ? texts.uses(TEXTS.prompt.uses[name]) : texts.undeclared}</p>
      </div>
      {isDeclared ? (
        <Labelled
          label={texts.state(name)}
          isLabelHidden
          renderControl={(attributes) => (
            <select
              {...attributes}
              value={state}
              onChange={({ currentTarget }) =>
                void command('permit', { permission: name, state: currentTarget.value as PermissionState })
              }
            >
              {PERMISSION_STATES.map((choice) => (
                <option key={choice} value={choice}>
                  {texts.states[choice]}
                </option>
              ))}
            </select>
          )}
        />
      ) : (
        <span class="badge">{texts.unlisted}</span>
      )}
    </li>
  );
}
