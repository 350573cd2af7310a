/** The tool for the Vercel AI SDK for `import`: the same objects as for `require`. */

export type {
    ReceiptPart,
    SqlTool,
    SqlToolCall,
    SqlToolInput,
    SqlToolOptions,
    SqlToolOutput,
    SqlToolSchema,
} from "./ai.js";
export { sqlTool } from "./ai.js";
