#include "codegen/Spellings.h"
#include "ir/cuda/Cuda.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

static LogicalResult printClock(Printer &p, cuda::ClockOp op) {
  std::string name = p.names.fresh(wantedName(op));
  p.line("const i32 " + name + " = clock_now();");
  p.bind(op, name);
  return success();
}

/// `function<numbers>(…, events, cursor, open`, where `before` are operands in front.
template <typename Op>
static std::string openCall(Printer &p, StringRef function, Op op, ArrayRef<int64_t> numbers,
                            ValueRange before = {}) {
  std::string text = function.str() + "<";
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i ? ", " : "") + std::to_string(number);
  text += ">(";
  for (Value operand : before)
    text += p.operand(operand) + ", ";
  return text + p.operand(op.getEvents()) + ", " + p.operand(op.getCursor()) + ", " +
         p.operand(op.getOpen());
}

static LogicalResult printStamp(Printer &p, cuda::StampOp op) {
  std::string from = op.getFrom() ? ", " + p.operand(op.getFrom()) : "";
  p.line(openCall(p, "stamp", op, int64_t(op.getPlace())) + from + ");");
  return success();
}

static LogicalResult printWait(Printer &p, cuda::StampedWaitOp op) {
  p.line(
      openCall(p, "stamped_wait", op, int64_t(op.getPlace()), {op.getBarrier(), op.getParity()}) +
      ");");
  return success();
}

static LogicalResult printRun(Printer &p, cuda::StampRunOp op) {
  auto capacity = int64_t(op.getCapacity()), takes = int64_t(op.getTakes());
  p.line(openCall(p, "stamp_run", op, {capacity, takes, int64_t(op.getLongest())}) + ", " +
         Twine(op.getRun()) + ");");
  return success();
}

static LogicalResult printEdge(Printer &p, cuda::StampEdgeOp op) {
  StringRef function = op.getLast() ? "stamp_last" : "stamp_first";
  p.line(openCall(p, function, op, int64_t(op.getCapacity())) + ");");
  return success();
}

void codegen::addTimeline(Spellings &spellings) {
  spellings.statement<cuda::ClockOp>(printClock);
  spellings.statement<cuda::StampOp>(printStamp);
  spellings.statement<cuda::StampedWaitOp>(printWait);
  spellings.statement<cuda::StampRunOp>(printRun);
  spellings.statement<cuda::StampEdgeOp>(printEdge);
}
