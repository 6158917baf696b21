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

static LogicalResult printStart(Printer &p, cuda::StartLaneOp op) {
  std::string name = p.names.fresh(wantedName(op));
  p.line("Lane " + name + " = start_lane<" + Twine(op.getCapacity()) + ", " +
         Twine(op.getLongest()) + ">(" + p.operand(op.getEvents()) + ", " +
         p.operand(op.getFirst()) + ", " + p.operand(op.getOpen()) + ");");
  p.bind(op, name);
  return success();
}

static LogicalResult printStamp(Printer &p, cuda::StampOp op) {
  std::string from = op.getFrom() ? ", " + p.operand(op.getFrom()) : "";
  p.line("stamp<" + Twine(op.getPlace()) + ">(" + p.operand(op.getLane()) + from + ");");
  return success();
}

static LogicalResult printWait(Printer &p, cuda::StampedWaitOp op) {
  p.line("stamped_wait<" + Twine(op.getPlace()) + ">(" + p.operand(op.getBarrier()) + ", " +
         p.operand(op.getParity()) + ", " + p.operand(op.getLane()) + ");");
  return success();
}

static LogicalResult printRun(Printer &p, cuda::StampRunOp op) {
  p.line("stamp_run<" + Twine(op.getTakes()) + ">(" + p.operand(op.getLane()) + ", " +
         Twine(op.getRun()) + ");");
  return success();
}

static LogicalResult printEnd(Printer &p, cuda::EndLaneOp op) {
  auto start = op.getLane().getDefiningOp<cuda::StartLaneOp>();
  p.line("end_lane<" + Twine(start.getCapacity()) + ", " + Twine(start.getLongest()) + ">(" +
         p.operand(op.getLane()) + ");");
  return success();
}

void codegen::addTimeline(Spellings &spellings) {
  spellings.statement<cuda::ClockOp>(printClock);
  spellings.statement<cuda::StartLaneOp>(printStart);
  spellings.statement<cuda::StampOp>(printStamp);
  spellings.statement<cuda::StampedWaitOp>(printWait);
  spellings.statement<cuda::StampRunOp>(printRun);
  spellings.statement<cuda::EndLaneOp>(printEnd);
}
