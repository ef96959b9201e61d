import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "coverage/", "samples/", ".config/", "src/pages/live.js"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: [".config/eslint.config.js"] } } },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // SQL rows come back untyped: a cast at the one place that reads them is the honest way.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // what is left out of the rest of an object
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-console": "error",
    },
  },
  // more are told apart by their order alone
  { files: ["src/**"], rules: { "max-params": ["error", 6] } },
);
