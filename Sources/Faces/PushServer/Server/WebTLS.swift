internal import Glibc
internal import NIOSSL
internal import PushConfig
internal import PushModel
internal import PushSystem
internal import Synchronization

/// The certificate by which the web module proves who it is, read again when its files change.
///
/// **Promises.** Each connection begins with the latest pair that was sound; one that is not sound changes
/// nothing. Certificate and key may be replaced one after the other: until both fit, the old pair stays.
final class WebTLS: Sendable {
    /// What became of files that have changed.
    enum Change: Equatable {
        case renewed(until: WallTime)
        case refused(String)
    }

    private struct State {
        var context: NIOSSLContext
        var notAfter: WallTime
        /// Of the files as they were last looked at, sound or not.
        var stamps: [FileStamp?]
    }

    private let files: TLSFiles
    private let state: Mutex<State>

    init(_ files: TLSFiles) throws(WebError) {
        self.files = files
        let stamps = Self.stamps(of: files)
        let (context, notAfter) = try Self.read(files)
        state = Mutex(State(context: context, notAfter: notAfter, stamps: stamps))
    }

    var context: NIOSSLContext { state.withLock(\.context) }
    /// When the certificate ends.
    var notAfter: WallTime { state.withLock(\.notAfter) }

    /// Looks at the files. Waits for the disk.
    /// - Returns: nil: they have not changed since the last look.
    func refresh() -> Change? {
        let stamps = Self.stamps(of: files)
        guard state.withLock({ $0.stamps }) != stamps else { return nil }
        do throws(WebError) {
            let (context, notAfter) = try Self.read(files)
            state.withLock { $0 = State(context: context, notAfter: notAfter, stamps: stamps) }
            return .renewed(until: notAfter)
        } catch {
            state.withLock { $0.stamps = stamps }
            return .refused(error.description)
        }
    }

    private static func read(_ files: TLSFiles) throws(WebError) -> (NIOSSLContext, WallTime) {
        let chain = try sound("web/@certificateChain", files.certificateChain, "no certificate in PEM") {
            try NIOSSLCertificate.fromPEMBytes($0)
        }
        let key = try sound("web/@privateKey", files.privateKey, "no private key in PEM without a password") {
            try NIOSSLPrivateKey(bytes: $0, format: .pem)
        }
        guard let first = chain.first else {
            throw WebError("web/@certificateChain: \(files.certificateChain) holds no certificate in PEM")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            return (
                try NIOSSLContext(configuration: configuration),
                WallTime(secondsSince1970: Int64(first.notValidAfter))
            )
        } catch {
            throw WebError(
                "web/@privateKey: \(files.privateKey) is not the key of the first certificate of "
                    + "\(files.certificateChain): put both of one pair there")
        }
    }

    private static func sound<Value>(
        _ setting: String, _ path: String, _ what: String, _ read: ([UInt8]) throws -> Value
    ) throws(WebError) -> Value {
        let bytes: [UInt8]
        do throws(FileContents.Unreadable) { bytes = try FileContents.bytes(of: path) } catch {
            throw WebError("\(setting): \(path) cannot be read: \(error.why)")
        }
        do { return try read(ByteOrderMark.removed(from: bytes)) } catch {
            throw WebError("\(setting): \(path) holds \(what)")
        }
    }

    private static func stamps(of files: TLSFiles) -> [FileStamp?] {
        [files.certificateChain, files.privateKey].map { FileStamp($0) }
    }
}

/// Tells a file from what it was before.
private struct FileStamp: Equatable {
    private let inode: UInt64
    private let bytes: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// nil: it is not there, or not to be seen.
    init?(_ path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        (inode, bytes) = (UInt64(facts.st_ino), Int64(facts.st_size))
        (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}
