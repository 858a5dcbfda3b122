#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "webhook/sender.h"

namespace host::webhook {
namespace {

class Urls : public ::testing::Test {
 protected:
  Urls() {
    Sender::Settings settings;
    settings.loopback = {"http://127.0.0.1:9000"};
    settings.internal = {"https://10.1.2.3", "https://169.254.169.254"};
    sender_ = std::make_unique<Sender>(io_.get_executor(), settings, system_clock());
  }
  bool allows(const std::string& url) { return sender_->check_url(url).has_value(); }

  boost::asio::io_context io_;
  std::unique_ptr<Sender> sender_;
};

TEST_F(Urls, OfThePublicInternetAreAllowedByHttpsAlone) {
  EXPECT_TRUE(allows("https://hooks.example/toolpost?a=b"));
  EXPECT_TRUE(allows("https://93.184.216.34/"));
  for (const char* const url : {"http://hooks.example/", "ftp://hooks.example/", "hooks.example",
                                "https://a:b@hooks.example/", "https://hooks.example/#a", ""})
    EXPECT_FALSE(allows(url)) << url;
  EXPECT_FALSE(allows("https://hooks.example/" + std::string(2048, 'a')));
}

TEST_F(Urls, OfThisMachineAreThoseOfTheList) {
  EXPECT_TRUE(allows("http://127.0.0.1:9000/hook"));
  for (const char* const url :
       {"http://127.0.0.1:9001/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/",
        "https://a.localhost/", "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/",
        "https://127.0.0.1:9000/"})
    EXPECT_FALSE(allows(url)) << url;
}

TEST_F(Urls, OfPrivateNetworksAreThoseOfTheListAndNeverLinkLocal) {
  EXPECT_TRUE(allows("https://10.1.2.3/hook"));
  for (const char* const url : {"http://10.1.2.3/hook", "https://10.1.2.4/", "https://192.168.1.1/",
                                "https://169.254.169.254/latest", "https://[fd00::1]/"})
    EXPECT_FALSE(allows(url)) << url;
}

}  // namespace
}  // namespace host::webhook
