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

/// `function<capacity>(events, cursor`
template <typename Op> static std::string openCall(Printer &p, StringRef function, Op op) {
  std::string events = p.operand(op.getEvents());
  return (function + "<" + Twine(op.getCapacity()) + ">(" + events + ", " +
          p.operand(op.getCursor()))
      .str();
}

static LogicalResult printStamp(Printer &p, cuda::StampOp op) {
  std::string from = op.getFrom() ? ", " + p.operand(op.getFrom()) : "";
  p.line(openCall(p, "stamp", op) + ", " + Twine(op.getEvent()) + from + ");");
  return success();
}

static LogicalResult printEdge(Printer &p, cuda::StampEdgeOp op) {
  p.line(openCall(p, op.getLast() ? "stamp_last" : "stamp_first", op) + ");");
  return success();
}

void codegen::addTimeline(Spellings &spellings) {
  spellings.statement<cuda::ClockOp>(printClock);
  spellings.statement<cuda::StampOp>(printStamp);
  spellings.statement<cuda::StampEdgeOp>(printEdge);
}
