// The words of a failure reach the host, whatever bytes are in them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "abi/linked.h"

namespace {

using toolpost::testing::Call;
using toolpost::testing::Plugin;

constexpr const char* kMended = "no \xef\xbf\xbd row";

struct How {
  std::string how;
  TOOLPOST_FIELDS(How, TOOLPOST_FIELD(how))
};

std::string fails(const How& args) {
  if (args.how == "error") throw toolpost::Error("no \xff row", 3);
  if (args.how == "data") throw toolpost::Error("no row", 3, "{no data");
  if (args.how == "exception") throw std::runtime_error("no \xff row");
  return "well";
}

void fails_later(const How&, toolpost::Pending pending) {
  pending.fail("no \xff row", 3);
}

toolpost::Permission denies(const How&) {
  return {toolpost::Behavior::deny, "not \xff", "since \xff", false};
}

toolpost::Verdict refuses(const toolpost::Intercepted&, toolpost::Context&) {
  return toolpost::Verdict::refuse("not \xff");
}

class Words : public testing::Test {
 protected:
  Plugin plugin_{linked::table(+[] {
    return toolpost::Plugin<>(linked::about())
        .tool("fails", "Fails", fails)
        .check_permissions(denies)
        .tool("fails_later", "Fails later", fails_later)
        .before_calls(refuses);
  })};
};

TEST_F(Words, OfAnErrorAreMendedWhereTheHostRefusesThem) {
  for (const std::string how : {"error", "exception"}) {
    EXPECT_EQ(plugin_.answer("fails", R"({"how":")" + how + "\"}"),
              std::string("error: ") + kMended);
  }
  Call later;
  plugin_.call("fails_later", R"({"how":""})", later);
  EXPECT_EQ(later.error, kMended);
  EXPECT_EQ(later.error_code, 3);
}

TEST_F(Words, OfAnErrorComeWithoutDataThatTheHostRefuses) {
  Call call;
  plugin_.call("fails", R"({"how":"data"})", call);
  EXPECT_EQ(call.error, "no row");
  EXPECT_EQ(call.error_code, 3);
  EXPECT_EQ(call.error_data, "");
}

TEST_F(Words, OfARefusalAreMended) {
  EXPECT_EQ(plugin_.check_permissions("fails", R"({"how":""})"),
            "{\"behavior\":\"deny\",\"message\":\"not \xef\xbf\xbd\","
            "\"reason\":\"since \xef\xbf\xbd\",\"safety\":false}");
  Call call;
  EXPECT_EQ(plugin_.intercept(&tp_interceptor_api::before, "{}", "t", call),
            "{\"refuse\":\"not \xef\xbf\xbd\"}");
}

}  // namespace
