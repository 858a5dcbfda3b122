// Chooses the transport of an upstream.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/job_thread.h"
#include "base/result.h"
#include "config/config.h"
#include "config/writable_folders.h"
#include "upstream/connection/budget.h"
#include "upstream/connection/secrets.h"
#include "upstream/connection/transport.h"
#include "upstream/oauth/login.h"

namespace host::upstream {

// Returns the upstream's Login, or null if the upstream has no `auth = "oauth"`. If `desk` is null,
// the host does not store the login, and the user must log in again after a restart.
std::shared_ptr<oauth::Login> login_of(const boost::asio::any_io_executor& io,
                                       const config::Upstream& upstream,
                                       const config::Config& config,
                                       std::shared_ptr<store::Desk> desk,
                                       std::shared_ptr<Secrets> secrets);

// Returns the folders that plugins and upstreams can write now. A change of the configuration can
// change the folders that plugins and upstreams can write. An Error says why no upstream can be
// started now.
using FoldersNow = std::function<Result<config::WritableFolders>()>;

// Returns a function that makes the upstream's transport for each connection. `config` must outlive
// the returned function. At each connection, the returned function reads the secrets, and adds them
// to `secrets`. For an upstream with a sandbox, the returned function also calls `folders` at each
// connection. `jobs` is the thread for work on the responses of an HTTP API. `login` is the result
// of login_of().
TransportMaker transport_of(const boost::asio::any_io_executor& io,
                            const std::shared_ptr<const config::Upstream>& settings,
                            const config::Config& config, const std::filesystem::path& keeper,
                            std::shared_ptr<Budget> budget, std::shared_ptr<Secrets> secrets,
                            std::shared_ptr<JobThread> jobs, FoldersNow folders,
                            const std::shared_ptr<oauth::Login>& login = nullptr);

// Returns the values of the upstream's secrets that can be read now.
Secrets secrets_of(const config::Upstream& upstream);

// Returns the upstream's command line, or its URL without the query, as a text for users.
std::string source_of(const config::Upstream& upstream);

// Returns "sha256:HEX", the digest of the configured command or URL.
std::string build_of(const config::Upstream& upstream);

}  // namespace host::upstream
