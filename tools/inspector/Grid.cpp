#include "tools/inspector/Grid.h"

#include "tools/driver/ReadModel.h"
#include "tools/inspector/Structure.h"

using namespace tilewright;
using namespace tilewright::inspector;
using llvm::json::Array;
using llvm::json::Object;

/// Along the first axis that a trip count depends on, no more tiles than this are asked for.
static constexpr int64_t kMostTrips = 4096;

/// The value of an expression for the tile at `place` along `axis`, and at 0 along the others.
static std::optional<int64_t> valueOf(const runtime::Expr &expr, const planner::Launch &launch,
                                      int64_t axis = 0, int64_t place = 0) {
  std::string tile = "tile[" + std::to_string(axis) + "]";
  auto lookup = [&](std::string_view name) -> std::optional<runtime::ExprValue> {
    if (name.starts_with("tile["))
      return name == tile ? place : 0;
    return launch.valueOf(name);
  };
  ErrorOr<int64_t> value = expr.eval(lookup);
  return value ? std::optional(*value) : std::nullopt;
}

static Object loopJson(const planner::LoopModel &loop, llvm::ArrayRef<int64_t> extents,
                       const planner::Launch &launch) {
  Object result{{"id", loop.id}};
  if (!loop.trips)
    return result;
  int64_t axis = loop.axes.empty() ? -1 : loop.axes.front();
  int64_t count = axis < 0 ? 1 : std::min(extents[axis], kMostTrips);
  Array trips;
  for (int64_t place = 0; place < count; ++place)
    trips.push_back(valueOf(*loop.trips, launch, std::max<int64_t>(0, axis), place).value_or(0));
  result["axis"] = axis;
  result["trips"] = std::move(trips);
  return result;
}

static Array streamsJson(const planner::KernelModel &model, const passes::KernelFacts &facts,
                         mlir::func::FuncOp kernel) {
  Array streams;
  for (auto [stream, fact] : llvm::zip(model.streams, facts.streams))
    streams.push_back(Object{{"id", stream.id},
                             {"tensor", tensorOf(fact.load, kernel)},
                             {"bytes", stream.bytes()},
                             {"alike", Array(stream.alike)},
                             {"loop", stream.loop}});
  return streams;
}

Object inspector::gridJson(const driver::KernelTextPtr &text, const driver::Attempt &attempt,
                           const planner::Launch &launch) {
  if (text->isCta() || !launch.valueOf)
    return {};
  ErrorOr<driver::KernelModule> module = driver::KernelModule::lower(text, attempt.specialisation);
  if (!module)
    return {};
  ErrorOr<passes::KernelFacts> facts =
      module->facts(attempt.config.options(), attempt.config.planText);
  if (!facts)
    return {};
  ErrorOr<planner::KernelModel> model = driver::readModel(module->kernel(), *facts);
  if (!model)
    return {};
  std::vector<int64_t> extents;
  for (const runtime::Expr &extent : model->grid) {
    std::optional<int64_t> value = valueOf(extent, launch);
    if (!value)
      return {};
    extents.push_back(*value);
  }
  Array loops;
  for (const planner::LoopModel &loop : model->loops)
    loops.push_back(loopJson(loop, extents, launch));
  return Object{{"extents", Array(extents)},
                {"streams", streamsJson(*model, *facts, module->kernel())},
                {"loops", std::move(loops)}};
}
