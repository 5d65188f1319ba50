internal import CCryptoShims

/// scrypt (RFC 7914), which derives a key from a password. It is slow and needs much memory on purpose, so
/// that trying many passwords is expensive.
package enum Scrypt {
    /// The cost of one derivation.
    package struct Cost: Equatable, Sendable {
        /// The binary logarithm of N.
        package var logN: Int
        package var r: Int
        package var p: Int

        /// - Returns: `nil` if a derivation would need more than 1 GiB of memory, or if there is no such
        ///   cost.
        package init?(logN: Int, r: Int, p: Int) {
            guard (1...20).contains(logN), (1...32).contains(r), (1...16).contains(p),
                r << (logN + 7) <= 1 << 30
            else { return nil }
            (self.logN, self.r, self.p) = (logN, r, p)
        }
    }

    /// Derives a key.
    /// - Returns: `nil` if the memory is not available.
    package static func key(
        from password: [UInt8], salt: [UInt8], _ cost: Cost, count: Int = 32
    ) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: count)
        let succeeded = unsafe push_scrypt(
            password, password.count, salt, salt.count, 1 << UInt64(cost.logN), UInt32(cost.r),
            UInt32(cost.p), &key, key.count)
        return succeeded ? key : nil
    }
}

/// Comparisons of secrets.
package enum SecretBytes {
    /// Compares in a time that does not depend on where the bytes differ.
    package static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        return unsafe push_are_equal(first, second, first.count)
    }
}
