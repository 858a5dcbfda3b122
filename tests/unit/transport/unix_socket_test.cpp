#include "transport/unix_socket.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "http_fixture.h"
#include "transport/listener.h"

namespace host::transport {
namespace {

namespace fs = std::filesystem;

class UnixSocket : public HttpTest {
 protected:
  UnixSocket() {
    char name[] = "/tmp/toolpost-socket-XXXXXX";
    folder_ = ::mkdtemp(name);
    path_ = folder_ + "/host.sock";
  }
  ~UnixSocket() override { fs::remove_all(folder_); }

  void serve_at(const std::string& path) {
    HttpOptions options;
    options.listen = "unix:" + path;
    serve(std::move(options));
  }
  mode_t mode() const {
    struct stat status {};
    EXPECT_EQ(::lstat(path_.c_str(), &status), 0);
    return status.st_mode;
  }
  std::string why_not(const std::string& path) {
    const auto fd = listen_on("unix:" + path);
    EXPECT_FALSE(fd);
    return fd ? "" : fd.error().message;
  }

  std::string folder_;
  std::string path_;
};

TEST_F(UnixSocket, ServesItsOwnUserAlone) {
  const mode_t before = ::umask(0);
  serve_at(path_);
  ::umask(before);
  EXPECT_EQ(server_->address(), "unix:" + path_);
  EXPECT_TRUE(S_ISSOCK(mode()));
  EXPECT_EQ(mode() & 0777, mode_t(0600));
  test::RawClient client(path_);
  client.send(get("/"));
  EXPECT_EQ(client.read_answer().body, "GET / ");
}

TEST_F(UnixSocket, IsGoneWhenTheServerIs) {
  serve_at(path_);
  on_io([this] { server_.reset(); });
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(UnixSocket, LeavesAFileThatTookItsPlace) {
  serve_at(path_);
  fs::remove(path_);
  std::ofstream(path_) << "another's";
  on_io([this] { server_.reset(); });
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(UnixSocket, TakesThePlaceOfOneThatNobodyListensOn) {
  {
    auto left = listen_at(path_);
    ASSERT_TRUE(left) << left.error().message;
  }
  ASSERT_TRUE(fs::exists(path_));
  serve_at(path_);
  test::RawClient client(path_);
  client.send(get("/"));
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(UnixSocket, TakesNothingElsesPlace) {
  serve_at(path_);
  EXPECT_NE(why_not(path_).find("another process listens there"), std::string::npos);
  const std::string file = folder_ + "/file";
  std::ofstream(file) << "precious";
  EXPECT_NE(why_not(file).find("not a socket"), std::string::npos);
  EXPECT_TRUE(fs::exists(file));
  fs::create_symlink(path_, folder_ + "/link");
  EXPECT_NE(why_not(folder_ + "/link").find("not a socket"), std::string::npos);
}

TEST_F(UnixSocket, IsNotMadeWhereOthersCouldReplaceIt) {
  fs::permissions(folder_, fs::perms::group_write, fs::perm_options::add);
  EXPECT_NE(why_not(path_).find("other users may write"), std::string::npos);
}

TEST_F(UnixSocket, NeedsAnAbsolutePathThatFits) {
  EXPECT_NE(why_not("relative").find("absolute"), std::string::npos);
  EXPECT_NE(why_not("/tmp/" + std::string(200, 'x')).find("shorter"), std::string::npos);
  EXPECT_NE(why_not("/no/such/folder/host.sock").find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace host::transport
