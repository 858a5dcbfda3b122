#include "protocol/elicitation.h"

#include <gtest/gtest.h>

namespace host::protocol {
namespace {

tool::Question asking(std::string params) {
  return {"k", "elicitation/create", std::move(params)};
}

TEST(Elicitation, AUrlQuestionIsNamedByOneVersionAlone) {
  const tool::Question page = asking(url_params("Open it", "https://x/#/1"));
  EXPECT_EQ(params_for(page, Version::v2026_07_28, "el_1"),
            R"({"mode":"url","message":"Open it","url":"https://x/#/1"})");
  EXPECT_EQ(params_for(page, Version::v2025_11_25, "el_1"),
            R"({"mode":"url","message":"Open it","url":"https://x/#/1","elicitationId":"el_1"})");
}

TEST(Elicitation, AFormHasAModeWhereThereAreTwo) {
  const tool::Question form = asking(form_params("Who?", R"({"type":"object","properties":{}})"));
  EXPECT_EQ(params_for(form, Version::v2026_07_28, "el_1"), form.params);
  EXPECT_EQ(params_for(form, Version::v2025_11_25, "el_1"), form.params);
  EXPECT_EQ(params_for(form, Version::v2025_06_18, "el_1"),
            R"({"message":"Who?","requestedSchema":{"type":"object","properties":{}}})");
}

TEST(Elicitation, WhatIsNoElicitationStaysAsItIs) {
  const tool::Question roots{"k", "roots/list", R"({"mode":"url"})"};
  EXPECT_EQ(params_for(roots, Version::v2025_11_25, "el_1"), roots.params);
}

}  // namespace
}  // namespace host::protocol
