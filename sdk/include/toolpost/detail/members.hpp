// members.hpp finds the number and the names of the members of a struct without TOOLPOST_FIELDS. To
// find the names of members, the SDK needs g++ 12 or clang 18, because older compilers do not
// provide the names.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace toolpost {
inline namespace v1 {
namespace detail {

#if defined(__clang__) ? __clang_major__ >= 18 : defined(__GNUC__)
inline constexpr bool compiler_tells_names = true;
#else
inline constexpr bool compiler_tells_names = false;
#endif

#ifdef __clang__  // the variables here are never defined, only named
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

// An AnyValue converts to the type of any member. The conversion never runs.
struct AnyValue {
  template <class T>
  operator T() const noexcept {  // NOLINT: it converts
    __builtin_unreachable();
  }
};

inline constexpr std::size_t kMostMembers = 32;

template <class T, std::size_t... I>
concept MadeOf = requires {
  T{(static_cast<void>(I), AnyValue{})...};
};
template <class T, std::size_t... I>
consteval bool made_of(std::index_sequence<I...>) {
  return MadeOf<T, I...>;
}

// Counts the members of a struct. An aggregate can be made from as many values as it has members,
// or from fewer values.
template <class T, std::size_t Tried = kMostMembers + 1>
consteval std::size_t count_members() {
  if constexpr (Tried == 0 || made_of<T>(std::make_index_sequence<Tried>())) {
    return Tried;
  } else {
    return count_members<T, Tried - 1>();
  }
}

// Returns pointers to the members of one object, in their order.
template <class T>
constexpr auto member_pointers(const T& of) {
  constexpr std::size_t count = count_members<T>();
  static_assert(count <= kMostMembers,
                "toolpost: a struct with more than 32 members needs TOOLPOST_FIELDS");
  if constexpr (count == 0) {
    static_cast<void>(of);
    return std::tuple<>();
  } else if constexpr (count == 1) {
    const auto& [m1] = of;
    return std::tuple(&m1);
  } else if constexpr (count == 2) {
    const auto& [m1, m2] = of;
    return std::tuple(&m1, &m2);
  } else if constexpr (count == 3) {
    const auto& [m1, m2, m3] = of;
    return std::tuple(&m1, &m2, &m3);
  } else if constexpr (count == 4) {
    const auto& [m1, m2, m3, m4] = of;
    return std::tuple(&m1, &m2, &m3, &m4);
  } else if constexpr (count == 5) {
    const auto& [m1, m2, m3, m4, m5] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5);
  } else if constexpr (count == 6) {
    const auto& [m1, m2, m3, m4, m5, m6] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6);
  } else if constexpr (count == 7) {
    const auto& [m1, m2, m3, m4, m5, m6, m7] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7);
  } else if constexpr (count == 8) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8);
  } else if constexpr (count == 9) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9);
  } else if constexpr (count == 10) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10);
  } else if constexpr (count == 11) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11);
  } else if constexpr (count == 12) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12);
  } else if constexpr (count == 13) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13);
  } else if constexpr (count == 14) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14);
  } else if constexpr (count == 15) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15);
  } else if constexpr (count == 16) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16);
  } else if constexpr (count == 17) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17);
  } else if constexpr (count == 18) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] =
        of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18);
  } else if constexpr (count == 19) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19);
  } else if constexpr (count == 20) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20);
  } else if constexpr (count == 21) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21);
  } else if constexpr (count == 22) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22);
  } else if constexpr (count == 23) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23);
  } else if constexpr (count == 24) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24);
  } else if constexpr (count == 25) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25);
  } else if constexpr (count == 26) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25, &m26);
  } else if constexpr (count == 27) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26, m27] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27);
  } else if constexpr (count == 28) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27,
                      &m28);
  } else if constexpr (count == 29) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27,
                      &m28, &m29);
  } else if constexpr (count == 30) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27,
                      &m28, &m29, &m30);
  } else if constexpr (count == 31) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27,
                      &m28, &m29, &m30, &m31);
  } else if constexpr (count == 32) {
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = of;
    return std::tuple(&m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13, &m14,
                      &m15, &m16, &m17, &m18, &m19, &m20, &m21, &m22, &m23, &m24, &m25, &m26, &m27,
                      &m28, &m29, &m30, &m31, &m32);
  }
}

// Unmade is an object that is never constructed. Only the addresses of the members of Unmade are
// used.
template <class T>
struct Unmade {
  T value;
};
template <class T>
extern const Unmade<T> unmade;

// Returns the compiler's name of the object whose address is the argument, like "&unmade<A>.A::b".
template <auto Address>
consteval std::string_view address_text() {
  return __PRETTY_FUNCTION__;
}

// Returns the last name in a text like "&unmade<A>.A::b".
constexpr std::string_view last_name(std::string_view text) {
  constexpr auto in_a_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c & 0x80) != 0;
  };
  text = text.substr(
      0, text.rfind("; std::string_view ="));  // g++ appends the definition of its alias here
  while (!text.empty() && !in_a_name(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && in_a_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

template <class T, std::size_t I>
consteval std::string_view member_name() {
  static_assert(compiler_tells_names || sizeof(T) == 0,
                "toolpost: this compiler does not tell the names of members; give the struct "
                "TOOLPOST_FIELDS, or use g++ 12, clang 18 or later");
  if constexpr (compiler_tells_names) {
    return last_name(address_text<std::get<I>(member_pointers(unmade<T>.value))>());
  } else {
    return {};
  }
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
