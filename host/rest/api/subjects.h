// Joins the tables of routes of several classes (see route.h) at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "rest/route/route.h"

namespace host::rest {

template <class... Each>
class Subjects : private Each... {
 public:
  struct Row {
    std::string_view path;
    std::string_view method;
    Scope scope;
    awaitable<void> (*answer)(Subjects&, const Asked&);
    identity::Scopes instead;
    Takes takes;
  };

  explicit Subjects(const Services& services) : Each(services)... {}

  static constexpr auto rows() {
    std::array<Row, (Each::routes().size() + ...)> all{};
    std::size_t filled = 0;
    (add<Each>(all, filled, std::make_index_sequence<Each::routes().size()>()), ...);
    return all;
  }

 private:
  template <class Subject, class All, std::size_t... Index>
  static constexpr void add(All& all, std::size_t& filled, std::index_sequence<Index...>) {
    ((all[filled++] = row<Subject, Index>()), ...);
  }

  template <class Subject, std::size_t Index>
  static constexpr Row row() {
    constexpr Route<Subject> route = Subject::routes()[Index];
    return {route.path,    route.method, route.scope, &answer<Subject, Index>,
            route.instead, route.takes};
  }

  template <class Subject, std::size_t Index>
  static awaitable<void> answer(Subjects& self, const Asked& asked) {
    constexpr Route<Subject> route = Subject::routes()[Index];
    return (static_cast<Subject&>(self).*route.answer)(asked);
  }
};

}  // namespace host::rest
