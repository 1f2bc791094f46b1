// SPDX-License-Identifier: Apache-2.0
// The end in netio.c from C++17: serves a tag, as detector.c does: detector PORT TAG MESSAGES.
#include "netio.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

struct Free {
    void operator()(netio *context) const { netio_free(context); }
};

int main(int argc, char **argv) {
    if (argc != 4) {
        std::cerr << "usage: detector PORT TAG MESSAGES\n";
        return 2;
    }
    std::unique_ptr<netio, Free> context(netio_new(0));
    netio_settings limits;
    netio_settings_default(&limits);
    const std::uint64_t tag = std::stoull(argv[2]);
    const netio_tags tags{NETIO_EXACT, tag, 0};
    netio_listener *listener = netio_listen(context.get(), nullptr, static_cast<std::uint16_t>(std::stoul(argv[1])), &limits, nullptr);
    netio_source *source = listener == nullptr ? nullptr : netio_serve(context.get(), &tags, nullptr);
    if (source == nullptr) {
        std::cerr << "cannot listen: " << std::strerror(errno) << "\n";
        return 1;
    }
    std::cerr << "listening on port " << netio_listener_port(listener) << std::endl;
    while (netio_subscribers(source) == 0) {
        netio_run(context.get(), -1);
    }
    std::array<std::uint64_t, 8> sample{};
    for (const std::uint64_t messages = std::stoull(argv[3]); sample[0] < messages;) {
        if (netio_publish(source, tag, 0, sample.data(), sizeof sample) == NETIO_NO_RESOURCES) {
            netio_run(context.get(), 100);
        } else {
            sample[0]++;
        }
    }
    netio_source_end(source, NETIO_COMPLETE, "");
    for (int i = 0; i < 20; i++) {
        netio_run(context.get(), 50);
    }
    return 0;
}
