// The host's side of tp.metrics/1, given reports as a worker could send them.
#include "plugin/services/metrics.h"

#include <gmock/gmock.h>
#include <toolpost/ext/metrics.h>

#include <boost/asio/io_context.hpp>

namespace host::plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct MetricsServiceTest : testing::Test {
  MetricsServiceTest() { service.offer_in(table); }

  void report(const Report& report) {
    std::string bytes;
    write_report(bytes, report);
    table.start(ServiceId::ReportMetrics,
                std::make_shared<ServiceCall>("p", nullptr, bytes, [](const HostAnswer&) {}));
  }
  static Measurement counter(const std::string& name, const std::string& label = "x") {
    Metric metric;
    metric.kind = TP_METRIC_COUNTER;
    metric.name = name;
    metric.help = "help of " + name;
    metric.labels = {"l"};
    Measured one;
    one.labels = {label};
    one.added = 1;
    return {metric, {one}};
  }
  std::string page() const {
    metrics::Page page;
    service.add_to(page);
    return page.take();
  }

  boost::asio::io_context io;
  MetricsService service{io.get_executor()};
  ServiceTable table;
};

TEST_F(MetricsServiceTest, KeepsNothingOfWhatIsDroppedForTheLimit) {
  for (std::size_t i = 0; i < kMostMetricLines; ++i)
    report({counter("kept_total", std::to_string(i))});
  report({counter("kept_total", "one more"), counter("new_name_total")});
  EXPECT_THAT(page(), HasSubstr("plugin_kept_total{"));
  EXPECT_THAT(page(), HasSubstr("toolpost_plugin_metrics_dropped_total{plugin=\"p\"} 2"));
  EXPECT_THAT(page(), Not(HasSubstr("one more")));
  EXPECT_THAT(page(), Not(HasSubstr("new_name")));
}

TEST_F(MetricsServiceTest, CountsMalformedReports) {
  std::string bytes;
  write_report(bytes, {counter("a_total")});
  bytes.pop_back();
  table.start(ServiceId::ReportMetrics,
              std::make_shared<ServiceCall>("p", nullptr, bytes, [](const HostAnswer&) {}));
  EXPECT_THAT(page(), HasSubstr("toolpost_plugin_metrics_dropped_total{plugin=\"p\"} 1"));
  EXPECT_THAT(page(), Not(HasSubstr("a_total")));
}

TEST_F(MetricsServiceTest, CountsTheSeriesOfANewBuildInPlaceOfTheOldOne) {
  Measurement histogram = counter("took");
  histogram.metric.kind = TP_METRIC_HISTOGRAM;
  for (std::size_t i = 0; i < kMostMetricLines; ++i) {
    histogram.metric.bounds.assign(1 + i % 2, 1.0);
    for (std::size_t k = 0; k < histogram.metric.bounds.size(); ++k)
      histogram.metric.bounds[k] = 1.0 + static_cast<double>(k);
    histogram.series[0].below.assign(histogram.metric.bounds.size(), 0);
    report({histogram});
  }
  EXPECT_THAT(page(), HasSubstr("toolpost_plugin_metrics_dropped_total{plugin=\"p\"} 0"));
  EXPECT_THAT(page(), HasSubstr("le=\"2\""));
}

}  // namespace
}  // namespace host::plugin
