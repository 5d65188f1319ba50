internal import Glibc
internal import NIOSSL
internal import PushConfig
internal import PushModel
internal import PushSystem
internal import Synchronization

/// The web module's certificate, which is read again when its files change.
///
/// **Promises.** Each connection starts with the latest valid pair of certificate and key; an invalid pair is
/// ignored. The certificate and the key may be replaced one after the other. The old pair is used until both
/// files match.
final class WebTLS: Sendable {
    /// The result of reading changed files.
    enum Change: Equatable {
        case renewed(until: WallTime)
        case refused(String)
    }

    private struct State {
        var context: NIOSSLContext
        var notAfter: WallTime
        /// The stamps of the files at the last check, whether or not the files were valid.
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
    /// The end of the certificate's validity.
    var notAfter: WallTime { state.withLock(\.notAfter) }

    /// Checks the files. Waits for the disk.
    /// - Returns: `nil` if the files have not changed since the last check.
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
        let chain = try sound("web/@certificateChain", files.certificateChain, "a certificate in PEM format")
        {
            try NIOSSLCertificate.fromPEMBytes($0)
        }
        let key = try sound(
            "web/@privateKey", files.privateKey, "a private key in PEM format without a password"
        ) {
            try NIOSSLPrivateKey(bytes: $0, format: .pem)
        }
        guard let first = chain.first else {
            throw WebError(
                """
                web/@certificateChain: \(files.certificateChain) does not contain a certificate in PEM \
                format
                """)
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
                "web/@privateKey: \(files.privateKey) is not the key of the first certificate in "
                    + "\(files.certificateChain); use two files that belong together")
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
            throw WebError("\(setting): \(path) does not contain \(what)")
        }
    }

    private static func stamps(of files: TLSFiles) -> [FileStamp?] {
        [files.certificateChain, files.privateKey].map { FileStamp($0) }
    }
}

/// A stamp that distinguishes a file from its previous version.
private struct FileStamp: Equatable {
    private let inode: UInt64
    private let bytes: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns `nil` if the file does not exist or is not accessible.
    init?(_ path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        (inode, bytes) = (UInt64(facts.st_ino), Int64(facts.st_size))
        (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}
