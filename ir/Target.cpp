#include "ir/Target.h"

#include <algorithm>

using namespace tilewright;

static const Target kTargets[] = {
#define TARGET(name, smem, smemPerSm, threadsPerSm, features)                                      \
  {#name, smem, smemPerSm, threadsPerSm, uint32_t(features)},
#include "ir/Targets.def"
};

llvm::ArrayRef<Target> tilewright::allTargets() { return kTargets; }

const Target *tilewright::findTarget(llvm::StringRef name) {
  name = name.rtrim("af");
  for (const Target &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

int64_t Target::registerLimit(int64_t threads, int64_t blocks) const {
  int64_t share = kRegistersPerSm / (threads * blocks);
  return std::min(kRegistersPerThread, share / kRegisterUnit * kRegisterUnit);
}

int64_t Target::blocksPerSm(int64_t threads, int64_t shared) const {
  int64_t reserved = smemPerSm - smem; // reserved by the system for each block
  return std::min(threadsPerSm / threads, smemPerSm / std::max<int64_t>(1, shared + reserved));
}
