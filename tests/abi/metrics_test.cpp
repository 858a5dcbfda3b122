// tp.metrics/1 as the C++ face and the host of unit tests have it: a plugin of its own, linked in.
#include <gtest/gtest.h>

#include <toolpost/testing.hpp>
#include <toolpost/toolpost.hpp>

namespace {

struct Shop {
  struct Settings {
    std::string name = "sold_total";
    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(name))
  };
  Shop(const Settings& settings, toolpost::Host host)
      : sold(host, settings.name, "What was sold"),
        open(host, "open_doors", "Doors that are open"),
        waits(host, "wait_seconds", "How long people wait", {1, 60}) {}

  void serve() {
    sold.add(2, "rye", std::string("large"));
    sold.add(1, "rye", std::string_view("large"));
    sold.add(1, "spelt", "small");
    sold.add(-1, "spelt", "small");  // less was never sold
    open.set(4);
    open.add(-1);
    waits.observe(std::chrono::milliseconds(1500));
    waits.observe(0.5);
  }

  toolpost::metrics::Counter<"bread", "size"> sold;
  toolpost::metrics::Gauge<> open;
  toolpost::metrics::Histogram<> waits;
};

static_assert(toolpost::metrics::Counter<"bread", "size">::takes<const char*, std::string>);
static_assert(!toolpost::metrics::Counter<"bread", "size">::takes<const char*>);
static_assert(!toolpost::metrics::Counter<"bread">::takes<int>);

TOOLPOST_PLUGIN(
    toolpost::Plugin<Shop>({.id = "org.toolpost.test.shop", .name = "Shop", .version = "1.0.0"})
        .tool("serve", "Serves", &Shop::serve))

TEST(Metrics, AUnitTestSeesWhatWasCounted) {
  toolpost::testing::Plugin plugin(toolpost_plugin_v1());
  ASSERT_EQ(plugin.created(), TP_OK);
  EXPECT_TRUE(plugin.host().metrics.empty());
  EXPECT_EQ(plugin.answer("serve"), "done");
  const std::map<std::string, double> expected = {{"sold_total{bread=\"rye\",size=\"large\"}", 3},
                                                  {"sold_total{bread=\"spelt\",size=\"small\"}", 1},
                                                  {"open_doors", 3},
                                                  {"wait_seconds", 2}};
  EXPECT_EQ(plugin.host().metrics, expected);
}

tp_status refuse(tp_host*, const tp_metric*, uint32_t*) {
  return TP_E_INVALID;
}

// A host without the table, and one that refuses what is declared.
const void* no_metrics(tp_host* host, const char* id) {
  if (std::string_view(id) == TP_EXT_METRICS) return nullptr;
  return toolpost::testing::host_api().extension(host, id);
}
const void* refused_metrics(tp_host* host, const char* id) {
  static const tp_metrics_api api = {sizeof api, 0, refuse, nullptr, nullptr, nullptr};
  if (std::string_view(id) == TP_EXT_METRICS) return &api;
  return toolpost::testing::host_api().extension(host, id);
}

TEST(Metrics, WhereTheHostShowsNoneNothingHappens) {
  tp_host_api api = toolpost::testing::host_api();
  api.extension = no_metrics;
  toolpost::testing::Plugin plugin(toolpost_plugin_v1(), "{}", api);
  ASSERT_EQ(plugin.created(), TP_OK);
  EXPECT_EQ(plugin.answer("serve"), "done");
}

TEST(Metrics, OneThatIsMalformedRefusesTheInstanceByItsName) {
  tp_host_api api = toolpost::testing::host_api();
  api.extension = refused_metrics;
  toolpost::testing::Plugin plugin(toolpost_plugin_v1(), R"({"name":"Sold"})", api);
  EXPECT_NE(plugin.created(), TP_OK);
  ASSERT_FALSE(plugin.host().log.empty());
  EXPECT_NE(plugin.host().log.back().find("the metric \"Sold\" is not formed"), std::string::npos)
      << plugin.host().log.back();
}

}  // namespace
