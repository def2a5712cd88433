/** The same value with every string in it changed, names of fields included, but no picture. What does not change is not copied. */
export function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  return changed(value, change) as Value;
}

function changed(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => changed(item, change));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let isSame = true;
  const isPicture = "mediaType" in value && "data" in value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    if (isPicture && name === "data") return [name, field];
    const own: [string, unknown] = [change(name), changed(field, change)];
    isSame &&= own[0] === name && own[1] === field;
    return own;
  });
  return isSame ? value : Object.fromEntries(fields);
}
