internal import NIOCore
package import PushModel

/// The address of a client: the peer, or the client on whose behalf a trusted proxy sends the request.
package enum ClientAddress {
    /// - Parameter forwarded: The values of `X-Forwarded-For`, in the order of the request's head. Each proxy
    ///   appends the address from which it received the request. The values are therefore evaluated from the
    ///   end, and are trusted as long as trusted proxies wrote them.
    package static func of(peer: IPAddress, forwarded: [String], trusting proxies: [IPNetwork]) -> IPAddress {
        func isTrusted(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }
        var client = peer
        guard !forwarded.isEmpty, isTrusted(peer) else { return client }
        let names = forwarded.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        for name in names.suffix(maxProxies).reversed() {
            guard let address = address(name) else { break }
            client = address
            guard isTrusted(address) else { break }
        }
        return client
    }

    /// The maximum number of proxies, which is more than any legitimate chain has.
    private static let maxProxies = 16

    /// Parses an address with or without a port: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`,
    /// `[2001:db8::1]:4711`.
    private static func address(_ name: Substring) -> IPAddress? {
        let name = name.trimming { $0 == " " || $0 == "\t" }
        if name.first == "[" {
            return name.dropFirst().split(separator: "]", maxSplits: 1).first.flatMap { IPAddress($0) }
        }
        let isV6 = name.utf8.count { $0 == UInt8(ascii: ":") } > 1
        return isV6 ? IPAddress(name) : name.split(separator: ":").first.flatMap { IPAddress($0) }
    }
}

extension Substring {
    fileprivate func trimming(while isSpace: (Character) -> Bool) -> Substring {
        var rest = drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}

extension IPAddress {
    /// `nil` if the address is a socket in the file system.
    init?(_ address: SocketAddress?) {
        guard let address else { return nil }
        // The bytes of the address, in network byte order, follow the family and the port. The bytes of an
        // IPv6 address also follow the flow label.
        switch address {
        case .v4: self.init(v4: UInt32(truncatingIfNeeded: Self.number(address, at: 4, bytes: 4)))
        case .v6:
            self.init(
                high: Self.number(address, at: 8, bytes: 8), low: Self.number(address, at: 16, bytes: 8))
        case .unixDomainSocket: return nil
        }
    }

    /// Unsafe because it reads the bytes of a C structure. It stays within the length that the system
    /// reports.
    private static func number(_ address: SocketAddress, at offset: Int, bytes: Int) -> UInt64 {
        unsafe address.withSockAddr { start, length in
            guard offset + bytes <= length else { return 0 }
            let all = unsafe UnsafeRawBufferPointer(start: start, count: length)
            return unsafe all[offset..<offset + bytes].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
