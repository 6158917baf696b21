//===- ErrorOr.h - Errors as values -----------------------------*- C++ -*-===//
//
// The one way a failure of the environment (a missing library, a full disk, a bad argument) travels
// through Tilewright. Nothing throws across a folder. A diagnostic about a user's kernel is not an
// Error: it has a source location and goes through the compiler's diagnostics.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace tilewright {

/// What went wrong, for the user: lower case, no final full stop, code in backticks, with the
/// actual values that were found.
struct Error {
  std::string message;
};

/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] ErrorOr {
public:
  ErrorOr(Error error) : state(std::in_place_index<1>, std::move(error)) {}
  template <typename U = T>
    requires(std::is_constructible_v<T, U &&> && !std::is_same_v<std::remove_cvref_t<U>, ErrorOr> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error>)
  ErrorOr(U &&value) : state(std::in_place_index<0>, std::forward<U>(value)) {}

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &value() & {
    assert(ok() && "value() of an ErrorOr that holds an error");
    return *std::get_if<0>(&state);
  }
  const T &value() const & {
    assert(ok() && "value() of an ErrorOr that holds an error");
    return *std::get_if<0>(&state);
  }
  T &&value() && { return std::move(value()); }

  const Error &error() const & {
    assert(!ok() && "error() of an ErrorOr that holds a value");
    return *std::get_if<1>(&state);
  }
  Error &&error() && {
    assert(!ok() && "error() of an ErrorOr that holds a value");
    return std::move(*std::get_if<1>(&state));
  }

  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

private:
  std::variant<T, Error> state;
};

/// Success, or the reason for a failure.
template <> class [[nodiscard]] ErrorOr<void> {
public:
  ErrorOr() = default;
  ErrorOr(Error error) : failure(std::move(error)) {}

  bool ok() const { return !failure.has_value(); }
  explicit operator bool() const { return ok(); }

  const Error &error() const & {
    assert(!ok() && "error() of a success");
    return *failure;
  }
  Error &&error() && {
    assert(!ok() && "error() of a success");
    return std::move(*failure);
  }

private:
  std::optional<Error> failure;
};

using Status = ErrorOr<void>;

} // namespace tilewright

#define TILEWRIGHT_CONCAT_IMPL(a, b) a##b
#define TILEWRIGHT_CONCAT(a, b) TILEWRIGHT_CONCAT_IMPL(a, b)

/// Returns the error of `expression` from the enclosing function, if it has one.
#define TILEWRIGHT_TRY(expression)                                                                 \
  do {                                                                                             \
    if (auto tilewrightResult = (expression); !tilewrightResult)                                   \
      return std::move(tilewrightResult).error();                                                  \
  } while (false)

/// Initialises `declaration` with the value of `expression`, or returns its error from the
/// enclosing function: `TILEWRIGHT_ASSIGN(std::string text, readFile(path));`
#define TILEWRIGHT_ASSIGN(declaration, expression)                                                 \
  auto TILEWRIGHT_CONCAT(tilewrightResult, __LINE__) = (expression);                               \
  if (!TILEWRIGHT_CONCAT(tilewrightResult, __LINE__))                                              \
    return std::move(TILEWRIGHT_CONCAT(tilewrightResult, __LINE__)).error();                       \
  declaration = std::move(TILEWRIGHT_CONCAT(tilewrightResult, __LINE__)).value()
