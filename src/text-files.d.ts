// Text files that are part of the program: prompts, descriptions, scripts.

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.yml" {
  const text: string;
  export default text;
}

declare module "*.css" {
  const text: string;
  export default text;
}

declare module "*.js" {
  const text: string;
  export default text;
}
