internal import GatewayKit
internal import Glibc
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore
internal import PushSystem

/// Examines the files that settings name.
struct NamedFiles {
    /// Faults that prevent the program from using the files, in the order of the settings.
    private(set) var findings: [Finding] = []
    /// The connectors of the apps in the store; empty if there is no store yet.
    private(set) var connectors: Set<ConnectorName> = []
    /// Ambiguities among the apps in the store that do not prevent the program from working.
    private(set) var warnings: [Finding] = []

    private typealias Property = PartialKeyPath<ServerConfiguration>
    private let configuration: LoadedConfiguration

    init(_ configuration: LoadedConfiguration) {
        self.configuration = configuration
        inspectStore()
        var seen: Set<Property> = []
        for trust in ConnectorCatalogue.entries.compactMap({ $0.keys?.trust })
        where seen.insert(trust).inserted {
            lookAtCertificates(configuration.settings[keyPath: trust], trust)
        }
        lookAtListener(configuration.settings.web.tls)
    }

    /// Examines the store. A store that does not exist yet is created by the first command that needs it.
    private mutating func inspectStore() {
        let place = configuration.settings.store.place
        if case .sqlite(let path) = place, unsafe access(path, F_OK) != 0 { return }
        do throws(StoreError) {
            let apps = try Store.open(place).catalogue.apps()
            connectors = Set(apps.map(\.settings.connector))
            warnings = SharedIntegrationKey.all(among: apps).map {
                Finding(.warning, line: 0, column: 0, message: $0.warning)
            }
        } catch {
            switch error.cause {
            case .passwordFile: add(\.store.passwordFile, "\(error)")
            case .instanceFolder: add(\.store.instanceFolder, "\(error)")
            default: add(\.store.server, "\(error)")
            }
        }
    }

    private mutating func lookAtCertificates(_ path: String?, _ setting: Property) {
        guard let path, !path.isEmpty else { return }
        do throws(FileContents.Unreadable) {
            let text = String(decoding: try FileContents.bytes(of: path), as: UTF8.self)
            guard !text.contains("-----BEGIN CERTIFICATE-----") else { return }
            add(setting, "\(path) does not contain a certificate; name a PEM file")
        } catch {
            add(setting, "\(path) cannot be read: \(error.why)")
        }
    }

    private mutating func lookAtListener(_ files: TLSFiles?) {
        guard let files else { return }
        lookAtCertificates(files.certificateChain, \.web.certificateChain)
        let setting = \ServerConfiguration.web.privateKey
        do throws(FileContents.Unreadable) {
            let key = try FileContents.bytes(of: files.privateKey)
            // If the certificate chain cannot be read, `lookAtCertificates` has already reported this.
            guard let chain = try? FileContents.bytes(of: files.certificateChain) else { return }
            do throws(ConnectorError) { try ServerCertificate.check(chainPEM: chain, keyPEM: key) } catch {
                add(setting, "\(files.privateKey): \(error)")
            }
        } catch {
            add(setting, "\(files.privateKey) cannot be read: \(error.why)")
        }
    }

    private mutating func add(_ setting: Property, _ what: String) {
        let path = configuration.schema.path(of: setting)
        let line = configuration.origins.first { $0.path == path }?.line ?? 0
        findings.append(Finding(.error, line: line, column: line > 0 ? 1 : 0, message: "\(path): \(what)"))
    }
}
