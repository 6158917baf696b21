#include "runtime/Driver.h"
#include "FakeDriver.h"
#include "runtime/DynamicLibrary.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

/// What is said of a driver in which one function has been changed.
static std::string failure(void (*spoil)(DriverTable &)) {
  DriverTable table = fakeTable();
  spoil(table);
  ErrorOr<Driver> driver = Driver::fromTable(table);
  return driver ? "no failure" : driver.error().message;
}

TEST(Driver, says_that_it_sees_no_gpu) {
  EXPECT_EQ(failure([](DriverTable &table) {
              table.init = [](unsigned) { return DriverResult(kDriverNoDevice); };
            }),
            "the CUDA driver finds no GPU (CUDA_ERROR_NO_DEVICE); is one visible to this process "
            "(CUDA_VISIBLE_DEVICES, container options)?");
}

TEST(Driver, gives_the_drivers_reason) {
  EXPECT_EQ(
      failure([](DriverTable &table) { table.init = [](unsigned) { return DriverResult(3); }; }),
      "cannot start the CUDA driver: no luck (CUDA_ERROR_TEST)");
}

TEST(Driver, gives_the_number_of_an_error_that_the_driver_does_not_know) {
  EXPECT_EQ(failure([](DriverTable &table) {
              table.deviceGetCount = [](int *) { return DriverResult(7777); };
              table.getErrorString = [](DriverResult, const char **) { return DriverResult(1); };
              table.getErrorName = [](DriverResult, const char **) { return DriverResult(1); };
            }),
            "cannot count GPUs: unknown error (7777)");
}

TEST(DynamicLibrary, names_the_file_that_cannot_be_opened) {
  EXPECT_EQ(DynamicLibrary::open("/nowhere/libx.so").error().message,
            "/nowhere/libx.so: cannot open shared object file: No such file or directory");
}
