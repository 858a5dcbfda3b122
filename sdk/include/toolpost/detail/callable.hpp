// FunctionRef is a reference to a function or a function object. A FunctionRef does not copy the
// function object, so use the FunctionRef only while the object exists.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace toolpost {
inline namespace v1 {
namespace detail {

template <class Signature>
class FunctionRef;

template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& function)  // NOLINT
      : target_(target_of(function)), call_([](Target target, A... arguments) -> R {
          using Called = std::remove_reference_t<F>;
          if constexpr (std::is_function_v<Called>) {
            return reinterpret_cast<Called*>(target.function)(std::forward<A>(arguments)...);
          } else {
            return (*static_cast<Called*>(target.object))(std::forward<A>(arguments)...);
          }
        }) {}

  R operator()(A... arguments) const { return call_(target_, std::forward<A>(arguments)...); }

 private:
  // void* cannot store the address of a function, so a Target has a second member for functions.
  union Target {
    void* object;
    void (*function)();
  };

  template <class F>
  static Target target_of(F& function) {
    Target target{};
    if constexpr (std::is_function_v<F>) {
      target.function = reinterpret_cast<void (*)()>(&function);
    } else {
      target.object = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
    }
    return target;
  }

  Target target_;
  R (*call_)(Target target, A... arguments);
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
