import { t } from "@vscode/l10n";
import type { JsonObject, JsonValue } from "../protocol.ts";

/** One input of a form for the properties of a JSON Schema object. */
export interface FormField {
  readonly name: string;
  readonly kind: "string" | "number" | "boolean" | "json";
  /** Absent from the arguments it is an error. */
  readonly required: boolean;
  readonly description?: string;
  /** The only values there are; each is a choice. */
  readonly options?: readonly JsonValue[];
  readonly default?: JsonValue;
  /** What the value looks like, in words: `string[]`, `integer`. */
  readonly type: string;
}

/** What stands in the inputs: text, or what was chosen. A field that is not there is not set. */
export type FormValues = Readonly<Record<string, string>>;

export type FormResult =
  | { readonly arguments: JsonObject }
  /** By field name: what is wrong there. */
  | { readonly problems: Readonly<Record<string, string>> };

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: JsonValue;
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The fields of an arguments schema, in its order. */
export function fieldsOf(parameters: JsonObject): FormField[] {
  const root = parameters as Schema;
  return Object.entries(root.properties ?? {}).map(([name, given]) => {
    const { schema, nullable } = withoutNull(resolved(given, root));
    const options = optionsOf(schema, nullable);
    return {
      name,
      kind: options ? kindOfOptions(options) : kindOf(schema, nullable),
      required: root.required?.includes(name) ?? false,
      type: typeWords(resolved(given, root), root),
      ...(given.description !== undefined && { description: given.description }),
      ...(options && { options }),
      ...(given.default !== undefined && { default: given.default }),
    };
  });
}

/** What the inputs begin with: values used before, else the defaults. */
export function initialValues(fields: readonly FormField[], used: JsonObject = {}): FormValues {
  const values: Record<string, string> = {};
  for (const field of fields) {
    const value = Object.hasOwn(used, field.name) ? used[field.name] : field.default;
    if (value !== undefined) {
      values[field.name] = inputText(field, value);
    }
  }
  return values;
}

/** The arguments that the inputs stand for; fields that are not set are left out. */
export function argumentsOf(fields: readonly FormField[], values: FormValues): FormResult {
  const problems: Record<string, string> = {};
  const entries: [string, JsonValue][] = [];
  for (const field of fields) {
    const text = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    if (text === undefined || (text.trim() === "" && (field.kind !== "string" || field.required || field.options))) {
      if (field.required) {
        problems[field.name] = t`${field.name} is required`;
      }
      continue;
    }
    const value = readValue(field, text);
    if (value === undefined) {
      problems[field.name] = t`${field.name} must be ${wanted(field)}`;
    } else {
      entries.push([field.name, value]);
    }
  }
  return Object.keys(problems).length > 0 ? { problems } : { arguments: Object.fromEntries(entries) };
}

/** Arguments written as JSON; nothing written means none. */
export function parseArguments(text: string): { readonly arguments: JsonObject } | { readonly problem: string } {
  if (text.trim() === "") {
    return { arguments: {} };
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { arguments: value as JsonObject }
      : { problem: t('The arguments must be a JSON object, such as {"name": "value"}') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function inputText(field: FormField, value: JsonValue): string {
  return field.kind === "string" && !field.options && typeof value === "string" ? value : JSON.stringify(value);
}

function readValue(field: FormField, text: string): JsonValue | undefined {
  if (field.options) {
    return field.options.find((option) => JSON.stringify(option) === text);
  }
  if (field.kind === "string") {
    return text;
  }
  const value = parsed(text);
  if (field.kind === "number") {
    const isNumber = typeof value === "number" && (field.type !== "integer" || Number.isInteger(value));
    return isNumber ? value : undefined;
  }
  return field.kind === "boolean" && typeof value !== "boolean" ? undefined : value;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // the caller says what was wanted in its place
  }
}

function wanted(field: FormField): string {
  if (field.options) {
    return t`one of ${field.options.map((option) => JSON.stringify(option)).join(", ")}`;
  }
  if (field.kind === "number") {
    return field.type === "integer" ? t("a whole number") : t("a number");
  }
  return field.kind === "boolean" ? t("true or false") : t`JSON (${field.type}); a text stands in double quotes`;
}

function resolved(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.match(/^#\/\$defs\/(.+)$/)?.[1];
  const found = name === undefined ? undefined : root.$defs?.[name];
  return found ? { ...found, ...schema } : schema;
}

/** `T | null` is a field of T that need not be set. */
function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  const members = schema.anyOf?.filter((member) => member.type !== "null");
  const nullable = members !== undefined && members.length < (schema.anyOf?.length ?? 0);
  const [only] = members ?? [];
  return members?.length === 1 && only ? { schema: only, nullable } : { schema, nullable };
}

function optionsOf(schema: Schema, nullable: boolean): readonly JsonValue[] | undefined {
  const options = schema.enum ?? (schema.const !== undefined ? [schema.const] : undefined);
  return options && nullable && !options.includes(null) ? [...options, null] : options;
}

function kindOfOptions(options: readonly JsonValue[]): FormField["kind"] {
  return options.every((option) => typeof option === "string") ? "string" : "json";
}

function kindOf(schema: Schema, nullable: boolean): FormField["kind"] {
  if (nullable && schema.type !== "string") {
    return "json"; // null must be possible to write
  }
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "json";
  }
}

function typeWords(schema: Schema, root: Schema): string {
  const given = resolved(schema, root);
  if (given.enum) {
    return given.enum.map((option) => JSON.stringify(option)).join(" | ");
  }
  if (given.anyOf) {
    return given.anyOf.map((member) => typeWords(member, root)).join(" | ");
  }
  if (given.type === "array") {
    return given.items ? `${typeWords(given.items, root)}[]` : "array";
  }
  return typeof given.type === "string" ? given.type : (given.type?.join(" | ") ?? t("any JSON"));
}
