//===- Driver.cpp - The CUDA driver, opened at run time -------------------===//

#include "runtime/Driver.h"

#include "runtime/DynamicLibrary.h"
#include "support/Env.h"

namespace tilewright::runtime {

static constexpr const char *kHowToGet =
    "install NVIDIA's driver for this GPU (Debian: package `nvidia-driver`; containers: start with "
    "`--gpus all`)";

static ErrorOr<DriverTable> loadTable() {
  std::string name = getEnv(EnvVar::Libcuda).value_or("libcuda.so.1");
  ErrorOr<DynamicLibrary> library = DynamicLibrary::open(name);
  if (!library)
    return Error{"no CUDA driver: " + library.error().message + "; " + kHowToGet};
  DriverTable table;
  const char *missing = nullptr;
#define TILEWRIGHT_OPTIONAL_DRIVER_FUNCTION(member, symbol, parameters)                            \
  table.member = reinterpret_cast<decltype(table.member)>(library->find(symbol));
#define TILEWRIGHT_DRIVER_FUNCTION(member, symbol, parameters)                                     \
  table.member = reinterpret_cast<decltype(table.member)>(library->find(symbol));                  \
  if (!table.member && !missing)                                                                   \
    missing = symbol;
#include "runtime/DriverFunctions.def"
  if (missing)
    return Error{"the CUDA driver lacks `" + std::string(missing) +
                 "`: CUDA 12.0 or newer is needed"};
  return table;
}

ErrorOr<const Driver *> Driver::get() {
  // Never destroyed: GPU objects with static lifetime may outlive any destructor order.
  static const auto &driver = *new ErrorOr<Driver>([]() -> ErrorOr<Driver> {
    TILEWRIGHT_ASSIGN(DriverTable table, loadTable());
    return fromTable(table);
  }());
  if (!driver)
    return driver.error();
  return &driver.value();
}

ErrorOr<Driver> Driver::fromTable(const DriverTable &table) {
  Driver driver;
  driver.table = table;
  driver.contexts = std::make_shared<Contexts>();
  DriverResult started = table.init(0);
  if (started == kDriverNoDevice)
    return Error{"the CUDA driver finds no GPU (CUDA_ERROR_NO_DEVICE); is one visible to this "
                 "process (CUDA_VISIBLE_DEVICES, container options)?"};
  TILEWRIGHT_TRY(driver.check(started, "cannot start the CUDA driver"));
  TILEWRIGHT_TRY(driver.enumerate());
  return driver;
}

Status Driver::enumerate() {
  TILEWRIGHT_TRY(check(table.driverGetVersion(&driverVersion), "cannot read the driver's version"));
  int count = 0;
  TILEWRIGHT_TRY(check(table.deviceGetCount(&count), "cannot count GPUs"));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceInfo info;
    info.ordinal = ordinal;
    DeviceHandle handle = 0;
    TILEWRIGHT_TRY(check(table.deviceGet(&handle, ordinal), "cannot open a GPU"));
    char name[256] = {};
    TILEWRIGHT_TRY(check(table.deviceGetName(name, sizeof(name), handle), "cannot name a GPU"));
    info.name = name;
    TILEWRIGHT_TRY(
        check(table.deviceTotalMem(&info.memoryBytes, handle), "cannot read GPU memory"));
    const std::pair<DeviceAttribute, int *> attributes[] = {
        {DeviceAttribute::ComputeCapabilityMajor, &info.major},
        {DeviceAttribute::ComputeCapabilityMinor, &info.minor},
        {DeviceAttribute::MultiprocessorCount, &info.multiprocessors},
        {DeviceAttribute::MaxSharedBytesPerBlockOptin, &info.maxSharedBytes},
        {DeviceAttribute::L2CacheBytes, &info.l2Bytes},
    };
    for (auto [attribute, value] : attributes)
      TILEWRIGHT_TRY(check(table.deviceGetAttribute(value, attribute, handle),
                           "cannot read an attribute of GPU " + std::to_string(ordinal)));
    deviceList.push_back(std::move(info));
  }
  contexts->byDevice.resize(deviceList.size());
  return {};
}

ErrorOr<const DeviceInfo *> Driver::device(int ordinal) const {
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= deviceList.size())
    return Error{"there is no GPU " + std::to_string(ordinal) + ": the driver reports " +
                 std::to_string(deviceList.size())};
  return &deviceList[static_cast<size_t>(ordinal)];
}

ErrorOr<ContextHandle> Driver::primaryContext(int ordinal) const {
  TILEWRIGHT_TRY(device(ordinal));
  std::lock_guard lock(contexts->mutex);
  ContextHandle &context = contexts->byDevice[static_cast<size_t>(ordinal)];
  if (context)
    return context;
  DeviceHandle handle = 0;
  TILEWRIGHT_TRY(check(table.deviceGet(&handle, ordinal), "cannot open a GPU"));
  TILEWRIGHT_TRY(check(table.primaryCtxRetain(&context, handle),
                       "cannot create a context on GPU " + std::to_string(ordinal)));
  return context;
}

ErrorOr<int> Driver::currentDevice() const {
  ContextHandle context = nullptr;
  TILEWRIGHT_TRY(check(table.ctxGetCurrent(&context), "cannot read the current context"));
  DeviceHandle device = 0;
  if (context)
    TILEWRIGHT_TRY(check(table.ctxGetDevice(&device), "cannot read the current device"));
  // Handles equal ordinals in every driver there has been; nothing maps one to the other.
  return static_cast<int>(device);
}

Status Driver::check(DriverResult result, std::string_view what) const {
  if (result == kDriverSuccess)
    return {};
  const char *reason = nullptr, *name = nullptr;
  table.getErrorString(result, &reason);
  table.getErrorName(result, &name);
  return Error{std::string(what) + ": " + (reason ? reason : "unknown error") + " (" +
               (name ? std::string(name) : std::to_string(result)) + ")"};
}

ErrorOr<ContextScope> ContextScope::enter(const Driver &driver, int device) {
  TILEWRIGHT_ASSIGN(ContextHandle wanted, driver.primaryContext(device));
  ContextHandle current = nullptr;
  TILEWRIGHT_TRY(driver.check(driver.api().ctxGetCurrent(&current), "cannot read the context"));
  if (current == wanted)
    return ContextScope(nullptr);
  TILEWRIGHT_TRY(driver.check(driver.api().ctxPushCurrent(wanted), "cannot enter the context"));
  return ContextScope(&driver.api());
}

ContextScope::~ContextScope() {
  ContextHandle ignored = nullptr;
  if (api)
    api->ctxPopCurrent(&ignored);
}

} // namespace tilewright::runtime
