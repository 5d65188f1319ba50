internal import CConsoleFiles

/// A file that pages load. Its address contains a digest of its content, so that browsers can keep it for as
/// long as they like.
struct ConsoleAsset: Sendable {
    let bytes: [UInt8]
    let type: String
    let address: String

    static let styles = ConsoleAsset(
        unsafe bytes(of: push_console_css()), "text/css; charset=utf-8", "console", "css")
    static let script = ConsoleAsset(
        unsafe bytes(of: push_console_js()), "text/javascript; charset=utf-8", "console", "js")
    static let all = [styles, script]

    static let folder = "assets"

    static func file(_ name: String) -> ConsoleAsset? {
        all.first { $0.address == "\(ConsolePath.root)/\(folder)/\(name)" }
    }

    private init(_ bytes: [UInt8], _ type: String, _ name: String, _ suffix: String) {
        (self.bytes, self.type) = (bytes, type)
        address = "\(ConsolePath.root)/\(Self.folder)/\(name)-\(Self.digest(of: bytes)).\(suffix)"
    }

    var answer: ConsoleAnswer {
        ConsoleAnswer(200, bytes, type: type, cacheControl: "public, max-age=31536000, immutable")
    }

    /// Returns an FNV-1a hash, which only distinguishes the versions of a file.
    private static func digest(of bytes: [UInt8]) -> String {
        let hash = bytes.reduce(14_695_981_039_346_656_037 as UInt64) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return String(hash, radix: 36)
    }

    private static func bytes(of file: push_console_file) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
