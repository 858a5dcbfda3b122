// A reference to a function object. The reference does not copy the object, so use the reference
// only while the object exists.
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
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, A... arguments) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<A>(arguments)...);
        }) {}

  R operator()(A... arguments) const { return call_(object_, std::forward<A>(arguments)...); }

 private:
  void* object_;
  R (*call_)(void* object, A... arguments);
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
