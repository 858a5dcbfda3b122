#include "tool/provider/offers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "support/cpu_time.h"
#include "support/fake_provider.h"
#include "tool/provider/catalog.h"

namespace host::tool {
namespace {

using test::FakeProvider;

Resource resource(std::string uri, std::string name = "r") {
  Resource made;
  made.uri = std::move(uri);
  made.name = std::move(name);
  return made;
}
Prompt prompt(std::string name) {
  Prompt made;
  made.name = std::move(name);
  return made;
}

TEST(Offers, AreListedByUriAndNameWhoeverOffersThem) {
  Catalog catalog;
  const auto first = std::make_shared<FakeProvider>();
  first->offered.resources = {resource("b:2"), resource("b:1")};
  first->offered.prompts = {prompt("z"), prompt("m")};
  const auto second = std::make_shared<FakeProvider>();
  second->offered.resources = {resource("a:1")};
  second->offered.prompts = {prompt("a")};
  catalog.set("first", first);
  catalog.set("second", second);
  const Offers& offers = catalog.snapshot()->offers();
  std::vector<std::string> shown;
  for (const auto& each : offers.resources()) shown.push_back(each.resource->uri);
  for (const auto& each : offers.prompts()) shown.push_back(each.prompt->name);
  EXPECT_EQ(shown, (std::vector<std::string>{"a:1", "b:1", "b:2", "a", "m", "z"}));
  EXPECT_EQ(offers.resource("a:1")->provider, second);
  EXPECT_EQ(offers.prompt("m")->provider, first);
  EXPECT_EQ(offers.resource("a:2"), nullptr);
  EXPECT_EQ(offers.prompt(""), nullptr);
}

TEST(Offers, TheNarrowestTemplateServesAUri) {
  Catalog catalog;
  const auto provider = std::make_shared<FakeProvider>();
  provider->offered.templates = {resource("x:{+all}", "any"), resource("x:item/{id}", "item")};
  catalog.set("p", provider);
  const Offers& offers = catalog.snapshot()->offers();
  EXPECT_EQ(offers.template_for("x:item/7")->resource->name, "item");
  EXPECT_EQ(offers.template_for("x:item/7/more")->resource->name, "any");
  EXPECT_EQ(offers.template_for("y:item/7"), nullptr);
  EXPECT_EQ(offers.template_of("x:item/{id}")->resource->name, "item");
  EXPECT_EQ(offers.template_of("x:item/7"), nullptr);
}

TEST(Offers, ManyOffersOfOneAgentAreAddedQuickly) {
  Catalog catalog;
  const auto common = std::make_shared<FakeProvider>();
  const auto own = std::make_shared<Offer>();
  const auto uri = [](int i) {
    return "skill://" + std::string(60, 'x') + std::to_string(10'000 + i);
  };
  for (int i = 0; i < 2'000; ++i) {
    common->offered.resources.push_back(resource(uri(2 * i), "common"));
    own->resources.push_back(resource(uri(i), "own"));
  }
  catalog.set("p", common);
  const Offers::Source more{"own", common, own};
  const test::CpuTime cpu;
  const Offers all =
      catalog.snapshot()->offers().narrowed([](const Provider&) { return true; }, &more);
  EXPECT_LT(cpu.taken(), std::chrono::seconds(5));  // the build may be instrumented
  EXPECT_EQ(all.resources().size(), 3'000u);
  EXPECT_EQ(all.resource(uri(2))->resource->name, "common");
  EXPECT_EQ(all.resource(uri(3))->resource->name, "own");
}

TEST(Offers, AClashIsRefusedAndTheFirstKeepsServing) {
  Catalog catalog;
  const auto first = std::make_shared<FakeProvider>();
  first->offered.resources = {resource("a:1")};
  first->offered.templates = {resource("a:{x}")};
  first->offered.prompts = {prompt("p")};
  const auto second = std::make_shared<FakeProvider>();
  second->offered = first->offered;
  second->offered.templates.push_back(resource("a:{?x}"));
  second->offered.resources.push_back(resource("a:2"));
  EXPECT_TRUE(catalog.set("first", first).empty());
  const auto refusals = catalog.set("second", second);
  ASSERT_EQ(refusals.size(), 4u);
  EXPECT_EQ(refusals[0].tool, "a:1");
  EXPECT_NE(refusals[0].reason.find("\"first\""), std::string::npos);
  EXPECT_EQ(refusals[1].tool, "a:{x}");
  EXPECT_NE(refusals[2].reason.find("{?x}"), std::string::npos);
  EXPECT_EQ(refusals[3].tool, "p");
  EXPECT_EQ(catalog.snapshot()->offers().resource("a:1")->provider, first);
  EXPECT_EQ(catalog.snapshot()->offers().resource("a:2")->provider, second);
  catalog.set("first", nullptr);
  EXPECT_EQ(catalog.snapshot()->offers().resource("a:1")->provider, second);
}

TEST(Offers, AUriStaysWithTheUpstreamThatServesItForAsLongAsThatOffersIt) {
  Catalog catalog;
  const auto upstream = [](const char* name) {
    return std::make_shared<FakeProvider>(name, FakeProvider::Kind::Upstream);
  };
  const auto later = upstream("b");
  later->offered.resources = {resource("x:1")};
  later->offered.templates = {resource("x:{id}")};
  EXPECT_TRUE(catalog.set("upstream:b", later).empty());
  const auto earlier = upstream("a");
  earlier->offered.resources = {resource("x:1"), resource("x:2")};
  earlier->offered.templates = {resource("x:{id}")};
  const auto refusals = catalog.set("upstream:a", earlier);
  ASSERT_EQ(refusals.size(), 2u);
  EXPECT_EQ(refusals[0].tool, "x:1");
  EXPECT_NE(refusals[0].reason.find("\"upstream:b\""), std::string::npos);
  EXPECT_EQ(catalog.snapshot()->offers().resource("x:1")->provider, later);
  EXPECT_EQ(catalog.snapshot()->offers().resource("x:2")->provider, earlier);
  EXPECT_EQ(catalog.snapshot()->offers().template_of("x:{id}")->provider, later);
  const auto again = upstream("b");  // another connection of the same upstream
  again->offered = later->offered;
  catalog.set("upstream:b", again);
  EXPECT_EQ(catalog.snapshot()->offers().resource("x:1")->provider, again);
  again->offered.resources.clear();
  catalog.set("upstream:b", again);
  EXPECT_EQ(catalog.snapshot()->offers().resource("x:1")->provider, earlier);
  const auto plugin = std::make_shared<FakeProvider>("p");
  plugin->offered.resources = {resource("x:1")};
  catalog.set("p", plugin);
  EXPECT_EQ(catalog.snapshot()->offers().resource("x:1")->provider, plugin);
}

// As after a start of the host, with the lists in the store.
TEST(Offers, OfUpstreamsThatBeginTogetherTheOneThatOfferedAUriFirstServesIt) {
  Catalog catalog;
  const auto upstream = [](const char* name, int since) {
    auto made = std::make_shared<FakeProvider>(name, FakeProvider::Kind::Upstream);
    Resource one = resource("x://shared");
    one.since = WallTime(std::chrono::seconds(since));
    made->offered.resources.push_back(one);
    one.uri = "x://{shared}";
    made->offered.templates.push_back(one);
    return made;
  };
  catalog.set_all({{"upstream:a", upstream("a", 9)},
                   {"upstream:b", upstream("b", 5)},
                   {"upstream:c", upstream("c", 5)}});
  const auto offers = [&]() -> const Offers& { return catalog.snapshot()->offers(); };
  EXPECT_EQ(offers().resource("x://shared")->provider->name(), "b");
  EXPECT_EQ(offers().template_of("x://{shared}")->provider->name(), "b");
  catalog.set("upstream:d", upstream("d", 1));
  EXPECT_EQ(offers().resource("x://shared")->provider->name(), "b") << "it serves it";
  catalog.set("upstream:b", nullptr);
  EXPECT_EQ(offers().resource("x://shared")->provider->name(), "d");
}

// An upstream takes nothing from callers who cannot see it.
TEST(Offers, WhoDoesNotSeeAnUpstreamSeesWhatTheOthersOfferOfTheSame) {
  Catalog catalog;
  const auto upstream = [](const char* name, int since) {
    auto made = std::make_shared<FakeProvider>(name, FakeProvider::Kind::Upstream);
    Resource one = resource("x://shared");
    one.since = WallTime(std::chrono::seconds(since));
    made->offered.resources = {one, resource("p://1")};
    one.uri = "x://{shared}";
    made->offered.templates = {one};
    return made;
  };
  const auto plugin = std::make_shared<FakeProvider>("p");
  plugin->offered.resources = {resource("p://1")};
  catalog.set_all({{"p", plugin},
                   {"upstream:a", upstream("a", 9)},
                   {"upstream:b", upstream("b", 5)},
                   {"upstream:c", upstream("c", 7)}});
  const auto hiding = [](const Offers& from, std::set<std::string> hidden) {
    return from.narrowed([&](const Provider& one) { return !hidden.contains(one.name()); },
                         nullptr);
  };
  const auto servers = [](const Offers& offers) {
    const auto* const one = offers.resource("x://shared");
    const auto* const family = offers.template_of("x://{shared}");
    return std::string(one ? one->provider->name() : "-") +
           (family ? family->provider->name() : "-");
  };
  const Offers& all = catalog.snapshot()->offers();
  EXPECT_EQ(servers(all), "bb");
  EXPECT_EQ(servers(hiding(all, {"a"})), "bb");
  EXPECT_EQ(servers(hiding(all, {"b"})), "cc");
  EXPECT_EQ(servers(hiding(hiding(all, {"b"}), {"c"})), "aa") << "a session narrows its agent";
  EXPECT_EQ(servers(hiding(all, {"a", "b", "c"})), "--");
  EXPECT_EQ(hiding(all, {"p"}).resource("p://1"), nullptr) << "the plugin's for all";
  EXPECT_EQ(hiding(all, {"b"}).resources().size(), 2u);
  const Offers before = all;
  catalog.set("upstream:c", nullptr);
  EXPECT_FALSE(catalog.snapshot()->offers().same_resources(before)) << "some see the change";
}

TEST(Offers, WhatAProviderOffersNowCountsOnceItIsSetAgain) {
  Catalog catalog;
  const auto provider = std::make_shared<FakeProvider>();
  provider->offered.prompts = {prompt("p")};
  catalog.set("a", provider);
  provider->offered.prompts.clear();
  EXPECT_NE(catalog.snapshot()->offers().prompt("p"), nullptr);
  catalog.set("a", provider);
  EXPECT_EQ(catalog.snapshot()->offers().prompt("p"), nullptr);
}

TEST(Offers, AChangeNamesTheListsThatShowIt) {
  Catalog catalog;
  std::vector<std::string> told;
  catalog.on_change([&](const Changes& changes) {
    told.push_back(std::string(changes.tools ? "t" : "") + (changes.resources ? "r" : "") +
                   (changes.prompts ? "p" : ""));
  });
  const auto provider = std::make_shared<FakeProvider>();
  provider->offered.resources = {resource("a:1")};
  provider->offered.prompts = {prompt("p")};
  catalog.set("a", provider);
  catalog.set("a", provider);  // a mere reload
  provider->offered.templates = {resource("a:{x}")};
  catalog.set("a", provider);
  provider->offered.prompts[0].description = "new words";
  catalog.set("a", provider);
  catalog.set("a", nullptr);
  EXPECT_EQ(told, (std::vector<std::string>{"rp", "r", "p", "rp"}));
}

TEST(Offers, AChangeNamesTheProvidersThatItIsOf) {
  Catalog catalog;
  ChangesOf told;
  catalog.on_change_of([&](const Changes&, const ChangesOf& of) { told = of; });
  const auto upstream = [](const std::string& name) {
    return std::make_shared<FakeProvider>(name, FakeProvider::Kind::Upstream);
  };
  const auto id = [](const std::string& name) {
    return ProviderIdentity::Id{FakeProvider::Kind::Upstream, name};
  };
  const auto one = upstream("one");
  one->offered.resources = {resource("a:1")};
  one->add_answering(test::declaration("t"), "");
  catalog.set("upstream:one", one);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[id("one")].tools && told[id("one")].resources && !told[id("one")].prompts);
  const auto two = upstream("two");
  two->offered.resources = {resource("a:1"), resource("a:2")};
  catalog.set("upstream:two", two);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[id("two")].resources && !told[id("two")].tools);
  catalog.set("upstream:one", nullptr);  // now the other one serves its URI, to nobody new
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[id("one")].tools && told[id("one")].resources);
}

TEST(Offers, AnUpdateReachesWhoListens) {
  Catalog catalog;
  std::vector<std::string> heard;
  catalog.on_resource_updated([&](const std::string& uri, const auto&) { heard.push_back(uri); });
  catalog.resource_updated("a:1");
  EXPECT_EQ(heard, std::vector<std::string>{"a:1"});
}

}  // namespace
}  // namespace host::tool
