#include "upstream/manager/followed_resources.h"

#include <gmock/gmock.h>

#include "support/fake_provider.h"

namespace host::upstream {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using Kind = tool::ProviderIdentity::Kind;

std::shared_ptr<test::FakeProvider> offering(Kind kind, const std::string& uri,
                                             const std::string& family) {
  auto made = std::make_shared<test::FakeProvider>("fake", kind);
  tool::Resource one;
  one.name = "r";
  one.uri = uri;
  made->offered.resources.push_back(one);
  one.uri = family;
  made->offered.templates.push_back(one);
  return made;
}

TEST(FollowedResourcesTest, WhatTheHostOrAPluginServesIsToldToNoUpstream) {
  tool::Catalog catalog;
  catalog.set("hostile", offering(Kind::Upstream, "db://users/42", "{+anything}"));
  catalog.set("db", offering(Kind::Plugin, "info:db", "db://{table}/{id}"));
  std::vector<FollowedResources::Uris> told;
  auto followed = std::make_unique<FollowedResources>(
      catalog, [&](const FollowedResources::Uris& uris) { told.push_back(uris); });
  followed->set({"db://users/42", "db://users/43", "info:db", "memo:a"});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told.back(), ElementsAre("memo:a"));
  followed->set({"db://users/42", "info:db", "memo:a"});
  EXPECT_THAT(told, SizeIs(1));
  catalog.set("db", nullptr);
  EXPECT_THAT(followed->for_upstreams(), ElementsAre("db://users/42", "info:db", "memo:a"));
  catalog.set("memo", offering(Kind::Host, "memo:a", "memo:{name}"));
  ASSERT_THAT(told, SizeIs(3));
  EXPECT_THAT(told.back(), ElementsAre("db://users/42", "info:db"));
  followed.reset();
  catalog.set("memo", nullptr);
  EXPECT_THAT(told, SizeIs(3));
}

}  // namespace
}  // namespace host::upstream
