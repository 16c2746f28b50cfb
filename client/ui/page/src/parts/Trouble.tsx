import { nextStep, type Failure } from "../api/errors";
import { Text } from "./Text";

/** A failure: what went wrong, and what to do. */
export function Trouble({ failure, retry }: { failure: Failure | null; retry?: () => void }) {
  if (!failure) return null;
  const next = nextStep(failure);
  return (
    <div class="trouble" role="alert">
      <p>
        <Text of={failure.message} />
        {failure.code !== "" && (
          <code class="quiet">
            {" "}
            <Text of={failure.code} />
          </code>
        )}
      </p>
      <Candidates of={failure.details} />
      {next !== "" && <p class="quiet">{next}</p>}
      {retry && failure.kind !== "token" && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The candidates that a refusal names, such as symbols of a similar name. */
function Candidates({ of }: { of: unknown }) {
  const list = (of as { candidates?: unknown } | undefined)?.candidates;
  if (!Array.isArray(list) || list.length === 0) return null;
  return (
    <ul class="plain">
      {list.slice(0, 12).map((one: unknown) => {
        const place = one as { name?: string; file?: string; line?: number };
        const text = typeof one === "string" ? one : [place.name, place.file && `${place.file}:${place.line ?? ""}`].filter(Boolean).join("  ");
        return (
          <li>
            <code>
              <Text of={text} />
            </code>
          </li>
        );
      })}
    </ul>
  );
}
