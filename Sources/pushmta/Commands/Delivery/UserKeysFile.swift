internal import PushModel
internal import PushWire

/// A list of user keys, one a line; empty lines do not count.
enum UserKeysFile {
    static func keys(path: String) throws(CommandFailure) -> [String] {
        let limit = (SubscriberLimits.userKeyBytes + 2) * Target.maximumListed
        let bytes = try FileReader.contents(of: path, atMost: limit)
        var keys: [String] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard let key = String(validating: text, as: UTF8.self) else {
                throw .refused("\(path): line \(index + 1) is not UTF-8")
            }
            guard key.utf8.count <= SubscriberLimits.userKeyBytes else {
                throw .refused("\(path): line \(index + 1) is longer than a user key can be")
            }
            if !key.isEmpty { keys.append(key) }
        }
        guard !keys.isEmpty else { throw .refused("\(path): there is no user key in it") }
        guard keys.count <= Target.maximumListed else {
            throw .refused(
                "\(path): \(keys.count) user keys, and a delivery takes \(Target.maximumListed); split the list, or "
                    + "mark these subscribers with a parameter and use target.where")
        }
        return keys
    }
}
