internal import Glibc
internal import PushConfig
internal import PushModel
internal import PushStore
internal import PushSystem

/// The files that settings name, looked at.
struct NamedFiles {
    /// What keeps the program from using them; in the order of the settings.
    private(set) var findings: [Finding] = []
    /// Of the apps in the store; empty where there is no store yet.
    private(set) var connectors: Set<ConnectorName> = []

    private let configuration: LoadedConfiguration
    private static let mostBytes = 4 << 20

    init(_ configuration: LoadedConfiguration) {
        self.configuration = configuration
        lookIntoStore()
        let nmac = configuration.settings.nmac
        lookAtCertificates(nmac.relay.trustedCertsChain, "nmac/relay/@trustedCertsChain")
        lookAtCertificates(nmac.iosBinary.trustedCertsChain, "nmac/iosBinary/@trustedCertsChain")
        lookAtCertificates(nmac.fcm.trustedCertsChain, "nmac/fcm/@trustedCertsChain")
    }

    /// One that is not there yet is made by the first command that needs it.
    private mutating func lookIntoStore() {
        let place = configuration.settings.store.place
        if case .sqlite(let path) = place, unsafe access(path, F_OK) != 0 { return }
        do throws(StoreError) {
            connectors = Set(try Store.open(place).catalogue.apps().map(\.settings.connector))
        } catch {
            let attribute =
                switch error.cause {
                case .passwordFile: "passwordFile"
                case .instanceFolder: "instanceFolder"
                default: "server"
                }
            add("shared/dataStore/dataSource/dbcnx/@\(attribute)", "\(error)")
        }
    }

    private mutating func lookAtCertificates(_ path: String?, _ setting: String) {
        guard let path, !path.isEmpty else { return }
        do throws(Unreadable) {
            let text = String(decoding: try Self.contents(of: path), as: UTF8.self)
            guard !text.contains("-----BEGIN CERTIFICATE-----") else { return }
            add(setting, "\(path) holds no certificate; name a PEM file")
        } catch {
            add(setting, "\(path) cannot be read: \(error.why)")
        }
    }

    private struct Unreadable: Error { var why: String }

    private static func contents(of path: String) throws(Unreadable) -> [UInt8] {
        // Not blocking: a named pipe would wait for a writer.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Unreadable(why: SystemErrorText.of(errno)) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < mostBytes {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Unreadable(why: SystemErrorText.of(errno)) }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private mutating func add(_ setting: String, _ what: String) {
        var line = 0
        let origin = configuration.origins.first { $0.path == setting }?.origin
        if case .file(let number)? = origin { line = number }
        findings.append(Finding(.error, line: line, column: line > 0 ? 1 : 0, message: "\(setting): \(what)"))
    }
}
