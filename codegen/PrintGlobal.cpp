#include "codegen/Accesses.h"
#include "codegen/Spellings.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

std::string codegen::accessSuffix(cuda::RegsType regs, int64_t count) {
  int64_t bits = std::max<int64_t>(8, regs.getValueType().getIntOrFloatBitWidth());
  return ("b" + Twine(bits * count)).str();
}

std::string codegen::registers(Printer &p, Value regs, Value index) {
  if (matchPattern(index, m_Zero()))
    return p.operand(regs);
  return ("&" + Twine(p.element(regs, index))).str();
}

std::string codegen::predicate(Printer &p, Value value) {
  return value ? ", " + p.operand(value) : "";
}

/// `ptr + offset`
static std::string address(Printer &p, Value ptr, Value offset) {
  if (matchPattern(offset, m_Zero()))
    return p.operand(ptr);
  std::string base = p.operand(ptr);
  return base + " + " + p.operand(offset, Binding::Product);
}

/// Whether the kernel states that nothing writes to the memory of `ptr`.
static bool isReadOnly(Value ptr) {
  auto argument = dyn_cast<BlockArgument>(ptr);
  auto kernel = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  return kernel && kernel.getArgAttr(argument.getArgNumber(), cuda::kReadOnlyAttr);
}

static LogicalResult printLoad(Printer &p, cuda::LoadGlobalOp op) {
  std::string suffix = accessSuffix(op.getRegs().getType(), op.getCount());
  std::string to = registers(p, op.getRegs(), op.getIndex());
  std::string from = address(p, op.getPtr(), op.getOffset());
  p.line((isReadOnly(op.getPtr()) ? "load_global_nc_" : "load_global_") + suffix + "(" + to + ", " +
         from + predicate(p, op.getPredicate()) + ");");
  return success();
}

static LogicalResult printStore(Printer &p, cuda::StoreGlobalOp op) {
  std::string suffix = accessSuffix(op.getRegs().getType(), op.getCount());
  std::string to = address(p, op.getPtr(), op.getOffset());
  std::string from = registers(p, op.getRegs(), op.getIndex());
  p.line("store_global_" + suffix + "(" + to + ", " + from + predicate(p, op.getPredicate()) +
         ");");
  return success();
}

static LogicalResult printAtomic(Printer &p, cuda::AtomicOp op) {
  Type type = op.getValue().getType();
  StringRef kind = op.getKind();
  bool ordered = kind == "max" || kind == "min";
  bool known = type.isF32() || type.isInteger(32)
                   ? ordered || kind == "add"
                   : (type.isF16() || type.isBF16()) && kind == "add";
  if (!known)
    return op.emitOpError("has no CUDA spelling: `") << kind << "` of " << type;
  if (op.getPredicate())
    p.line("if (" + p.operand(op.getPredicate()) + ")");
  std::string to = address(p, op.getPtr(), op.getOffset());
  p.line(Twine(op.getPredicate() ? "  " : "") + "atomic_" + kind + "_" + *typeName(type) + "(" +
         to + ", " + p.typedOperand(op.getValue()) + ");");
  return success();
}

static LogicalResult printAtomicInc(Printer &p, cuda::AtomicIncOp op) {
  std::string call = p.call("atomic_inc", {op.getPtr(), op.getLast()}).text;
  std::string name = p.names.fresh(wantedName(op));
  p.line("const i32 " + name + " = " + call + ";");
  p.bind(op, name);
  return success();
}

/// An op that gives what a flag was, or is.
template <typename Op>
static LogicalResult printFlagNumber(Printer &p, Op op, const std::string &function) {
  std::string name = p.names.fresh(wantedName(op));
  p.line("const i32 " + name + " = " + function + "(" + address(p, op.getPtr(), op.getIndex()) +
         ", " + p.operand(op->getOperand(2)) + ");");
  p.bind(op, name);
  return success();
}

/// An op on a flag is printed as a call with the flag's address.
template <typename Op> static void addFlag(Spellings &spellings, StringRef function) {
  spellings.statement<Op>([function](Printer &p, Op op) {
    p.line(function + "(" + address(p, op.getPtr(), op.getIndex()) + ");");
    return success();
  });
}

static LogicalResult printCpAsync(Printer &p, cuda::CpAsyncOp op) {
  std::string to = p.operand(op.getShared());
  std::string from = address(p, op.getPtr(), op.getOffset());
  p.line("cp_async_b" + Twine(8 * op.getBytes()) + "(" + to + ", " + from +
         predicate(p, op.getValid()) + ");");
  return success();
}

void codegen::addGlobal(Spellings &spellings) {
  spellings.statement<cuda::LoadGlobalOp>(printLoad);
  spellings.statement<cuda::StoreGlobalOp>(printStore);
  spellings.statement<cuda::AtomicOp>(printAtomic);
  spellings.statement<cuda::AtomicIncOp>(printAtomicInc);
  addFlag<cuda::FlagRaiseOp>(spellings, "flag_raise");
  addFlag<cuda::FlagTakeOp>(spellings, "flag_take");
  spellings.statement<cuda::FlagCountOp>([](Printer &p, cuda::FlagCountOp op) {
    constexpr std::array kNames{"flag_count", "flag_count_release", "flag_count_relaxed"};
    return printFlagNumber(p, op, kNames[size_t(op.getOrder())]);
  });
  spellings.statement<cuda::FlagSettleOp>(
      [](Printer &p, cuda::FlagSettleOp op) { return printFlagNumber(p, op, "flag_settle"); });
  spellings.statement<cuda::FlagAwaitOp>([](Printer &p, cuda::FlagAwaitOp op) {
    p.line("flag_await(" + address(p, op.getPtr(), op.getIndex()) + ", " +
           p.operand(op.getLeast()) + ");");
    return success();
  });
  spellings.statement<cuda::CpAsyncOp>(printCpAsync);
  spellings.statement<cuda::CpAsyncCommitOp>([](Printer &p, cuda::CpAsyncCommitOp) {
    p.line("cp_async_commit();");
    return success();
  });
  spellings.statement<cuda::CpAsyncArriveOp>([](Printer &p, cuda::CpAsyncArriveOp op) {
    p.line(p.call("cp_async_arrive", op.getBarrier()).text + ";");
    return success();
  });
  spellings.statement<cuda::CpAsyncWaitOp>([](Printer &p, cuda::CpAsyncWaitOp op) {
    p.line("cp_async_wait<" + Twine(op.getPending()) + ">();");
    return success();
  });
}
