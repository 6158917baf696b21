// How texts are coloured: CodeMirror's own modes, and simple ones for what it does not know.

const COMMENT = { regex: /\/\/.*/, token: "comment" };
const STRING = { regex: /"(?:[^\\"]|\\.)*"?/, token: "string" };
const NUMBER = { regex: /\b(?:0x[\da-f]+|0[fd][\da-f]{8,16}|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b/i, token: "number" };

CodeMirror.defineSimpleMode("mlir", {
  start: [
    COMMENT, STRING,
    { regex: /%[\w$.-]+(?::\d+)?(?:#\d+)?/, token: "variable-2" },
    { regex: /@[\w$.-]+/, token: "def" },
    { regex: /[#!][a-z][\w.]*/, token: "type" },
    { regex: /\b(?:tile|cta|cuda|arith|math|scf|func|builtin)\.[\w.]+/, token: "keyword" },
    { regex: /\b(?:tensor|vector|memref)(?=<)|\b(?:index|none|bf16|tf32|[fiu]\d+|f8\w+)\b/, token: "type" },
    { regex: /\b(?:to|step|iter_args|extents|attributes|warps|registers|lanes|by|over|of|if|else|module)\b/, token: "builtin" },
    NUMBER, { regex: /[\w$]+/, token: null },
  ],
  meta: { lineComment: "//", fold: "brace" },
});

CodeMirror.defineSimpleMode("ptx", {
  start: [
    COMMENT, STRING,
    { regex: /%[\w$]+(?:\.[xyz])?/, token: "variable-2" },
    { regex: /@!?%?\w+/, token: "atom" },
    { regex: /\$L[\w$]+/, token: "def" },
    { regex: /\.[a-z]\w*/, token: "type" },
    NUMBER,
    { regex: /[a-z][\w]*(?=[.\s;])/, token: "keyword" },
    { regex: /[\w$]+/, token: null },
  ],
  meta: { lineComment: "//", fold: "brace" },
});

CodeMirror.defineSimpleMode("sass", {
  start: [
    { regex: /\/\*.*?\*\//, token: "comment" }, COMMENT, STRING,
    { regex: /@!?U?P\w+/, token: "atom" },
    { regex: /\bU?[RP](?:\d+|Z|T)\b/, token: "variable-2" },
    { regex: /\b[A-Z][A-Z\d]*(?:\.[A-Z\dx_]+)*\b/, token: "keyword" },
    NUMBER, { regex: /[\w$]+/, token: null },
  ],
});

CodeMirror.defineSimpleMode("plan", {
  start: [
    { regex: /#.*/, token: "comment" },
    { regex: /^\s*(?:tiles|blocks|roles|products|loops|channels|when|programs|parts)\b/, token: "keyword" },
    { regex: /\b[spte]\d+\b/, token: "variable-2" },
    NUMBER, { regex: /\w+/, token: null },
  ],
});

const CUDA = {
  name: "clike",
  keywords: Object.fromEntries(("if else for while do return switch case break continue const static extern asm volatile struct template typename inline "
    + "__global__ __device__ __forceinline__ __shared__ __restrict__ __launch_bounds__ __align__ __grid_constant__").split(" ").map((word) => [word, true])),
  types: Object.fromEntries("void bool int float double unsigned char i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16 f16x2 bf16x2".split(" ").map((word) => [word, true])),
  hooks: { "#": (stream) => (stream.skipToEnd(), "meta") },
  blockKeywords: { for: true, if: true, else: true, while: true },
  isPunctuationChar: /[[\]{}(),;:.]/,
};

const MODES = { source: "python", tile: "mlir", cta: "mlir", "cuda-ir": "mlir", cuda: CUDA, ptx: "ptx", sass: "sass", plan: "plan" };

export function modeOf(name, file = "") {
  return name === "source" && file.endsWith(".mlir") ? "mlir" : MODES[name] ?? "mlir";
}
