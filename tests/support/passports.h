// Passports that tests make.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tool/call/passport.h"

namespace host::test {

// `change` sets the members that matter to the test.
template <class Change>
tool::PassportPtr passport_with(Change change) {
  auto made = std::make_shared<tool::Passport>();
  change(*made);
  return made;
}

inline tool::PassportPtr passport(std::string call, std::string principal = "local",
                                  std::string agent = {}) {
  return passport_with([&](tool::Passport& made) {
    made.call = std::move(call);
    made.who.principal = std::move(principal);
    made.who.agent = std::move(agent);
  });
}

// Of a call that is nested in the call of this passport and tool.
inline tool::PassportPtr passport_within(tool::Caller outer) {
  if (!outer.passport) outer.passport = tool::unnamed_passport();
  return tool::passport_of_nested(outer, 1);
}

}  // namespace host::test
