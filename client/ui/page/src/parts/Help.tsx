import { KEY_HELP } from "../state/keys";
import { Dialog } from "./Dialog";

/** The keys. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <table class="keys">
        <tbody>
          {KEY_HELP.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row">
                {keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">Every state of the page has a link: copy the address. The link works while this run of sdlctl ui does.</p>
    </Dialog>
  );
}
