// Runs IR text of the tile and cta levels through the reference interpreter, on arrays of any
// element type.
#ifndef TILEWRIGHT_TESTS_SIMULATOR_HARNESS_H
#define TILEWRIGHT_TESTS_SIMULATOR_HARNESS_H

#include "simulator/Reference.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <deque>
#include <string>
#include <vector>

namespace tilewright::simulator {

/// Global memory of one element type ("bf16", "i1", …), read and written as doubles.
struct Array {
  std::string type;
  std::vector<char> bytes;
  Buffer buffer;

  std::vector<double> values() const;
};

class Harness {
public:
  Harness();

  /// An array; owned here, so that its buffer stays in place.
  Array &array(const std::string &type, std::vector<double> values);
  Array &zeros(const std::string &type, int64_t count) {
    return array(type, std::vector<double>(count));
  }
  /// Parses `text` and runs the first function in it; diagnostics go to `errors`.
  bool run(const std::string &text, std::vector<Argument> arguments, Options options = {});
  /// Runs a body over `inputs` of one shape (`%a`, `%b`, `%c`), of which it makes `%r`.
  std::vector<double> map(const std::string &body, const std::string &resultType,
                          std::vector<Array *> inputs);

  mlir::MLIRContext context;
  std::string errors; // one `line: message` per diagnostic
  Statistics statistics;
  double seconds = 0;

private:
  std::deque<Array> arrays;
};

} // namespace tilewright::simulator

#endif
