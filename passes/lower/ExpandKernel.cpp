// The `cuda` kernel of a `cta` kernel: its parameters, each with the argument that the host passes
// for it, and the threads that run it.
#include "ir/tile/Parts.h"
#include "passes/analysis/Accesses.h"
#include "passes/lower/Expander.h"
#include "support/Timeline.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {

using namespace mlir;

ExpanderState::ExpanderState(func::FuncOp kernel)
    : kernel(kernel),
      target(*findTarget(kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).getValue())),
      warps(cta::warpsOf(kernel)), builder(kernel.getContext()), loc(kernel.getLoc()),
      cluster(cta::clusterOf(kernel)) {}

Expander::Expander(func::FuncOp kernel) : ExpanderState(kernel) {}

namespace {

/// Collects the parameters of the device kernel, each with the argument that the host passes for
/// it.
class ParameterList {
public:
  explicit ParameterList(MLIRContext *context) : builder(context) {}

  unsigned add(Type type, StringRef kind, StringRef name, StringRef source, int64_t argument,
               int64_t axis = 0) {
    return add(type, name,
               {builder.getNamedAttr("argument", builder.getI64IntegerAttr(argument)),
                builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis)),
                builder.getNamedAttr("kind", builder.getStringAttr(kind)),
                builder.getNamedAttr("source", builder.getStringAttr(source))});
  }

  /// Adds memory of the runtime, with so many bytes per block.
  unsigned addWorkspace(StringRef kind, Type element, int64_t bytes) {
    return add(cuda::PtrType::get(builder.getContext(), element), kind,
               {builder.getNamedAttr("argument", builder.getI64IntegerAttr(0)),
                builder.getNamedAttr("axis", builder.getI64IntegerAttr(0)),
                builder.getNamedAttr("bytes", builder.getI64IntegerAttr(bytes)),
                builder.getNamedAttr("kind", builder.getStringAttr(kind))});
  }

  /// The number of multiprocessors.
  unsigned addMultiprocessors() {
    return add(builder.getI32Type(), "number", "num_sms", "num_sms", /*argument=*/0);
  }

  unsigned addMap(cuda::TensorMapType type, Attribute axes, StringRef name, int64_t argument) {
    return add(type, name,
               {builder.getNamedAttr("argument", builder.getI64IntegerAttr(argument)),
                builder.getNamedAttr("axes", axes),
                builder.getNamedAttr("axis", builder.getI64IntegerAttr(0)),
                builder.getNamedAttr("kind", builder.getStringAttr("tensor_map"))});
  }

  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;

private:
  unsigned add(Type type, StringRef name, ArrayRef<NamedAttribute> host) {
    types.push_back(type);
    attributes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(tile::kNameAttr, builder.getStringAttr(name)),
         builder.getNamedAttr(cuda::kParamAttr, builder.getDictionaryAttr(host))}));
    return types.size() - 1;
  }

  Builder builder;
};

} // namespace

/// An op that moves a tile of a view by TMA.
static bool movesByTma(Operation *op) {
  if (isa<cta::StoreOp>(op))
    return true;
  auto copy = dyn_cast<cta::CopyOp>(op);
  cta::ChannelOp channel = copy ? cta::channelOf(copy.getSlot()) : cta::ChannelOp();
  return channel && channel.getKind() == cta::ChannelKind::Tma;
}

/// Whether the device needs a number, and not only the host for its grid and its asserts.
static bool isForDevice(Value number) {
  return llvm::any_of(number.getUsers(), [](Operation *user) {
    if (isa<tile::GridOp, tile::AssertOp>(user))
      return false;
    bool computes = isMemoryEffectFree(user) && user->getNumRegions() == 0;
    return !computes || llvm::any_of(user->getResults(), isForDevice);
  });
}

/// False for views that only TMA accesses.
bool Expander::needsPointer(Value view) {
  SmallVector<Operation *> users = usersOf(view);
  return users.empty() || llvm::any_of(users, [](Operation *user) {
           return !movesByTma(user) && !isa<tile::DimOp>(user);
         });
}

/// Whether the size of a tensor along an axis is used by itself.
static bool isSizeAsked(Value tensor, int64_t axis) {
  return llvm::any_of(usersOf(tensor), [&](Operation *user) {
    auto dim = dyn_cast<tile::DimOp>(user);
    return dim && int64_t(dim.getAxis()) == axis;
  });
}

void Expander::makeParameters() {
  MLIRContext *context = kernel.getContext();
  ParameterList list(context);
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  llvm::StringMap<unsigned> dims;
  struct Indices {
    unsigned ptr;
    SmallVector<unsigned> dims, strides;
  };
  SmallVector<Indices> indices(kernel.getNumArguments());
  auto nameOf = [&](unsigned i) {
    auto name = kernel.getArgAttrOfType<StringAttr>(i, tile::kNameAttr);
    return name ? name.str() : "arg" + std::to_string(i);
  };
  auto viewOf = [&](unsigned i) { return dyn_cast<tile::ViewType>(kernel.getArgumentTypes()[i]); };
  constexpr unsigned kNone = ~0u, kUnused = kNone - 1;

  // Maps and pointers first, then sizes, strides and scalars: the order in which a reader looks for
  // them.
  llvm::MapVector<std::tuple<Value, Type, Attribute>, unsigned> mapIndices;
  kernel.walk([&](Operation *op) {
    if (!movesByTma(op))
      return;
    auto store = dyn_cast<cta::StoreOp>(op);
    Value view = store ? store.getView() : cast<cta::CopyOp>(op).getView();
    auto tensor = cast<BlockArgument>(tile::tensorOf(view));
    cuda::TensorMapType type = mapType(op);
    Attribute axes = mapAxes(view);
    auto [entry, isNew] = mapIndices.try_emplace({tensor, type, axes}, 0);
    std::string name = nameOf(tensor.getArgNumber());
    if (isNew)
      entry->second = list.addMap(type, axes, needsPointer(tensor) ? name + "_map" : name,
                                  tensor.getArgNumber());
  });
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto view = viewOf(i); view && needsPointer(kernel.getArgument(i)))
      indices[i].ptr = list.add(cuda::PtrType::get(context, view.getElementType()), "pointer",
                                nameOf(i), nameOf(i), i);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto view = viewOf(i)) {
      auto names = kernel.getArgAttrOfType<ArrayAttr>(i, tile::kDimsAttr);
      bool whole = needsPointer(kernel.getArgument(i));
      for (int64_t axis = 0; axis < view.getRank(); ++axis) {
        bool asked = whole || isSizeAsked(kernel.getArgument(i), axis);
        if (view.isDynamicDim(axis) && !asked) {
          indices[i].dims.push_back(kUnused);
          continue;
        }
        if (!view.isDynamicDim(axis)) {
          indices[i].dims.push_back(kNone);
          continue;
        }
        std::string name =
            names ? cast<StringAttr>(names[axis]).str() : nameOf(i) + "_dim" + std::to_string(axis);
        auto [entry, isNew] = dims.try_emplace(name, 0);
        if (isNew)
          entry->second = list.add(i32, "dim", name, name, i, axis);
        indices[i].dims.push_back(entry->second);
      }
    }
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto view = viewOf(i); view && needsPointer(kernel.getArgument(i)))
      for (int64_t axis = 0; axis < view.getRank(); ++axis)
        indices[i].strides.push_back(axis == view.getRank() - 1 && !view.getStrided()
                                         ? kNone
                                         : list.add(view.getWide() ? i64 : i32, "stride",
                                                    nameOf(i) + "_stride" + std::to_string(axis),
                                                    nameOf(i), i, axis));
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (!viewOf(i)) {
      Type type = kernel.getArgumentTypes()[i];
      indices[i].ptr = list.add(type, "scalar", nameOf(i), nameOf(i), i);
    }

  std::optional<unsigned> counter, parts, raised, multiprocessors;
  bool asksForGrid = wordsOfSums(kernel) > 0; // how many blocks leave sums
  kernel.walk([&](cta::SmsOp op) {
    if (!multiprocessors && (asksForGrid || isForDevice(op)))
      multiprocessors = list.addMultiprocessors();
  });
  Type i32Pointer = cuda::PtrType::get(context, i32);
  if (hasQueue())
    counter = list.add(i32Pointer, "tile_counter", "tile_counter", "", 0);
  if (int64_t bytes = workspaceBytes()) {
    parts = list.addWorkspace("workspace", builder.getF32Type(), bytes);
    raised = list.add(i32Pointer, "flags", "flags", "", 0);
  } else if (int64_t words = wordsOfSums(kernel)) {
    int64_t perWord = warps * int64_t(sizeof(int32_t));
    parts = list.addWorkspace("workspace", builder.getF32Type(), words * kLanes * perWord);
    raised = list.addWorkspace("flags", i32, flagsInOrder() * int64_t(sizeof(int32_t)));
  }
  std::optional<unsigned> records;
  if (int64_t lanes = timelineNumber("lanes"))
    records =
        list.addWorkspace("events", i32, lanes * timelineNumber("capacity") * kTimelineStampBytes);

  result = builder.create<func::FuncOp>(kernel.getLoc(), kernel.getName(),
                                        builder.getFunctionType(list.types, {}));
  Block *entry = result.addEntryBlock();
  for (auto [i, attributes] : llvm::enumerate(list.attributes))
    result.setArgAttrs(i, attributes);
  builder.setInsertionPointToStart(entry);
  for (auto [use, index] : mapIndices)
    maps[use] = entry->getArgument(index);
  if (counter)
    tileCounter = entry->getArgument(*counter);
  if (parts) {
    workspace = entry->getArgument(*parts);
    flags = entry->getArgument(*raised);
  }
  if (records)
    events = entry->getArgument(*records);
  kernel.walk([&](cta::SmsOp op) { // values that only the host needs fold away
    scalars.map(op.getResult(),
                multiprocessors ? entry->getArgument(*multiprocessors) : constant(0));
  });
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    Value source = kernel.getArgument(i);
    auto view = viewOf(i);
    if (!view) {
      Value argument = entry->getArgument(indices[i].ptr);
      Type compute = computeType(argument.getType());
      scalars.map(source, convert(loc, argument, argument.getType(), compute, false));
      continue;
    }
    ViewParams &params = views[source];
    params.type = view;
    for (int64_t axis = 0; axis < view.getRank(); ++axis) {
      unsigned dim = indices[i].dims[axis];
      params.dims.push_back(dim == kUnused ? Value()
                            : dim == kNone ? constant(view.getShape()[axis])
                                           : Value(entry->getArgument(dim)));
    }
    if (!needsPointer(source))
      continue;
    if (Attribute whole = kernel.getArgAttr(i, tile::kStoredWholeAttr))
      result.setArgAttr(indices[i].ptr, tile::kStoredWholeAttr, whole);
    params.ptr = entry->getArgument(indices[i].ptr);
    for (int64_t axis = 0; axis < view.getRank(); ++axis) {
      unsigned stride = indices[i].strides[axis];
      params.strides.push_back(stride != kNone  ? Value(entry->getArgument(stride))
                               : view.getWide() ? builder.create<arith::ConstantIntOp>(loc, 1, 64)
                                                : constant(1));
    }
  }
}

/// The names that expressions of the launch may use.
static ArrayAttr launchNames(func::FuncOp kernel) {
  llvm::SetVector<Attribute> names;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    if (auto name = kernel.getArgAttrOfType<StringAttr>(i, tile::kNameAttr))
      names.insert(name);
    if (auto dims = kernel.getArgAttrOfType<ArrayAttr>(i, tile::kDimsAttr))
      names.insert(dims.begin(), dims.end());
  }
  return ArrayAttr::get(kernel.getContext(), names.getArrayRef());
}

void Expander::makeKernel() {
  builder.setInsertionPoint(kernel);
  makeParameters();
  result->setAttr(cuda::kKernelAttr, builder.getUnitAttr());
  result->setAttr(cuda::kNamesAttr, launchNames(kernel));
  result->setAttr(cuda::kTargetAttr, builder.getStringAttr(target.name));
  result->setAttr(cuda::kThreadsAttr, builder.getI32IntegerAttr(warps * kLanes));
  Attribute minBlocks = kernel->getAttr(cta::kMinBlocksAttr);
  result->setAttr(cuda::kMinBlocksAttr, minBlocks ? minBlocks : builder.getI32IntegerAttr(1));

  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  thread = builder.create<cuda::ThreadIdOp>(named("thread"), builder.getI32Type());
  auto i32 = [&](int64_t v) { return builder.create<arith::ConstantIntOp>(loc, v, 32); };
  lane = builder.create<arith::AndIOp>(named("lane"), thread, i32(kLanes - 1));
  auto shift = i32(llvm::Log2_64(kLanes));
  bool hasRoles = !kernel.getOps<cta::RoleOp>().empty();
  warp = builder.create<arith::ShRSIOp>(hasRoles ? loc : Location(named("warp")), thread, shift);
  if (hasRoles) // roles branch on it: tells the compiler that it is equal in all lanes
    warp = builder.create<cuda::ShuffleIdxOp>(named("warp"), warp.getType(), warp, i32(0));
  entryEnd = warp.getDefiningOp();
  if (cluster.blocks() > 1)
    result->setAttr(cuda::kClusterAttr, builder.getI32IntegerAttr(cluster.blocks()));
}

Expander::FreshThread::FreshThread(Expander &expander, bool active)
    : lane(expander.lane), warp(expander.warp), end(expander.entryEnd),
      coordinates(expander.threadCoordinates) {
  if (!active)
    return;
  expander.renewThread();
}

void Expander::renewThread() {
  Value fresh = builder.create<cuda::OpaqueOp>(loc, thread.getType(), thread);
  lane = rem(fresh, kLanes);
  warp = div(fresh, kLanes);
  if (role && cta::firstWarp(role))
    warp = builder.create<arith::SubIOp>(loc, warp, constant(cta::firstWarp(role)));
  entryEnd = warp.getDefiningOp();
  threadCoordinates.clear();
}

/// Marks pointers to memory that is not written while the kernel runs: neither through this view,
/// nor through one that may be the same tensor in an in-place call.
void Expander::markReadOnly() {
  SmallVector<Value> written;
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<tile::StoreOp, tile::AtomicOp, cta::StoreOp>(
        [&](auto store) { written.push_back(tile::tensorOf(store.getView())); });
  });
  for (auto &[view, params] : views) {
    if (!isa<BlockArgument>(view))
      continue;
    bool kept = llvm::none_of(
        written, [view = view](Value other) { return other == view || mayBeInPlace(view, other); });
    if (params.ptr && kept)
      result.setArgAttr(cast<BlockArgument>(params.ptr).getArgNumber(), cuda::kReadOnlyAttr,
                        builder.getUnitAttr());
  }
}

void Expander::finishKernel() {
  result->setAttr(cuda::kSharedBytesAttr, kernel->getAttr(cta::kSharedBytesAttr));
  if (Attribute timeline = kernel->getAttr(cta::kTimelineAttr))
    result->setAttr(cuda::kTimelineAttr, timeline);
  markReadOnly();
}

} // namespace tilewright::passes
