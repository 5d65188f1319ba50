internal import PushCrypto

/// A password as the store keeps it: derived with scrypt, so that the password cannot be computed from it.
///
/// Deriving takes a few tenths of a second and 128 MiB of memory. Callers limit how often this happens at
/// once.
package struct PasswordHash: Equatable, Sendable, CustomStringConvertible {
    private static let name = "scrypt"
    private static let cost = Scrypt.Cost(logN: 17, r: 8, p: 1)
    private static let (saltBytes, keyBytes) = (16, 32)

    /// The form of the Password Hashing Competition: `$scrypt$ln=17,r=8,p=1$salt$key`, in base64 without
    /// padding.
    package let text: String
    private let cost: Scrypt.Cost
    private let (salt, key): ([UInt8], [UInt8])

    /// - Returns: `nil` if the text does not have the form.
    package init?(text: String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0].isEmpty, fields[1] == Self.name,
            let cost = Self.cost(in: fields[2]), let salt = Base64.bytes(of: fields[3]),
            let key = Base64.bytes(of: fields[4]), (1...64).contains(key.count)
        else { return nil }
        (self.text, self.cost) = (text, cost)
        (self.salt, self.key) = (salt, key)
    }

    /// Derives the form of a password.
    /// - Returns: `nil` if the memory is not available.
    package static func make(_ password: String) -> PasswordHash? {
        let salt = SecureRandom.bytes(saltBytes)
        guard let cost, let key = Scrypt.key(from: Array(password.utf8), salt: salt, cost, count: keyBytes)
        else { return nil }
        return PasswordHash(text: text(cost, salt, key))
    }

    private static func text(_ cost: Scrypt.Cost, _ salt: [UInt8], _ key: [UInt8]) -> String {
        let numbers = "ln=\(cost.logN),r=\(cost.r),p=\(cost.p)"
        return ["", name, numbers, Base64.text(of: salt), Base64.text(of: key)].joined(separator: "$")
    }

    /// A form that no password has. Checking a password against it takes as long as against any other.
    package static let ofNobody = cost.flatMap {
        PasswordHash(text: text($0, SecureRandom.bytes(saltBytes), SecureRandom.bytes(keyBytes)))
    }

    /// Reports whether this is the form of the password.
    /// - Returns: `nil` if the memory is not available.
    package func matches(_ password: String) -> Bool? {
        Scrypt.key(from: Array(password.utf8), salt: salt, cost, count: key.count).map {
            SecretBytes.areEqual($0, key)
        }
    }

    private static func cost(in text: Substring) -> Scrypt.Cost? {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        let names = ["ln=", "r=", "p="]
        guard fields.count == names.count else { return nil }
        let numbers = zip(names, fields).compactMap { name, field in
            field.hasPrefix(name) ? Int(field.dropFirst(name.count)) : nil
        }
        guard numbers.count == names.count else { return nil }
        return Scrypt.Cost(logN: numbers[0], r: numbers[1], p: numbers[2])
    }

    /// A fixed text, because the form must not be printed.
    package var description: String { "a password" }
}
