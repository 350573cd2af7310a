/**
 * The package for `import`: the same objects as for `require`, so that there is one class of each name in a process, however it
 * was loaded.
 */

export type {
    AbortSignalLike,
    AllowedVerdict,
    Bind,
    BindParam,
    CheckAsyncOptions,
    CheckManyAsyncOptions,
    CheckManyOptions,
    CommonVerdict,
    Context,
    ContextValue,
    DeniedVerdict,
    DocumentFormat,
    ErrorCode,
    LoadOptions,
    LoadStringOptions,
    PolicyRef,
    Problem,
    Reason,
    ReasonCode,
    StatementKind,
    Text,
    VerdictClass,
} from "./index.js";
export {
    ArgumentError,
    Caller,
    ClosedError,
    ContextError,
    EncodingError,
    HaltSQLError,
    InternalError,
    POSTGRES_VERSION,
    Policy,
    PolicyError,
    REASON_CODES,
    SealError,
    utf16Offset,
    VERSION,
    Verdict,
    VerdictError,
    VersionError,
} from "./index.js";
