/** A choice of one among few, as buttons in a row. */
export function Segments<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, name: string])[];
  onChoose: (value: T) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChoose(value)}>
          {name}
        </button>
      ))}
    </div>
  );
}
