#include "metrics/page.h"

#include <gtest/gtest.h>

#include <limits>

#include "metrics/process.h"

namespace host::metrics {
namespace {

TEST(Page, WritesEachKindAsPrometheusReadsIt) {
  Registry registry;
  registry.add({"a_total", Kind::Counter, "How \"many\".", {"tool"}, {}}).ensure({"x"}).value = 3;
  Family& times = registry.add({"b_seconds", Kind::Histogram, "How long.", {"tool"}, {0.5, 1}});
  Series& series = times.ensure({"x"});
  for (const double value : {0.25, 0.75, 8.0}) times.observe(series, value);
  Page page;
  page.add(registry);
  page.one("c", Kind::Gauge, "Now.", 2.5);
  EXPECT_EQ(page.take(),
            "# HELP a_total How \"many\".\n"
            "# TYPE a_total counter\n"
            "a_total{tool=\"x\"} 3\n"
            "# HELP b_seconds How long.\n"
            "# TYPE b_seconds histogram\n"
            "b_seconds_bucket{tool=\"x\",le=\"0.5\"} 1\n"
            "b_seconds_bucket{tool=\"x\",le=\"1\"} 2\n"
            "b_seconds_bucket{tool=\"x\",le=\"+Inf\"} 3\n"
            "b_seconds_sum{tool=\"x\"} 9\n"
            "b_seconds_count{tool=\"x\"} 3\n"
            "# HELP c Now.\n"
            "# TYPE c gauge\n"
            "c 2.5\n");
}

TEST(Page, NoTextBreaksOutOfItsPlace) {
  Page page;
  page.family("a", Kind::Gauge, "one\ntwo \\ three");
  page.sample({{"x", "q\"b\\n\nend"}}, 1);
  EXPECT_EQ(page.take(),
            "# HELP a one\\ntwo \\\\ three\n# TYPE a gauge\na{x=\"q\\\"b\\\\n\\nend\"} 1\n");
}

TEST(Page, NumbersThatAreNoneHaveTheirWords) {
  const double inf = std::numeric_limits<double>::infinity();
  Page page;
  page.family("a", Kind::Gauge, "");
  page.sample({}, inf);
  page.sample({}, -inf);
  page.sample({}, std::numeric_limits<double>::quiet_NaN());
  page.sample({}, 1e300);
  EXPECT_EQ(page.take(), "# HELP a \n# TYPE a gauge\na +Inf\na -Inf\na NaN\na 1e+300\n");
}

TEST(Page, AProcessTellsItsMemoryItsDescriptorsItsTimeAndItsStart) {
  Page page;
  add_process(page);
  const std::string text = page.take();
  for (const std::string name : {"process_cpu_seconds_total", "process_resident_memory_bytes",
                                 "process_open_fds", "process_start_time_seconds"}) {
    const std::size_t at = text.find("\n" + name + " ");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_GT(std::stod(text.substr(at + name.size() + 2)), 0) << name;
  }
}

}  // namespace
}  // namespace host::metrics
