package import PushConfig

/// A setting as it is shown.
package struct SettingView: View, Equatable {
    /// `mta/child/@maxWaitingMessages`.
    package var path: String
    /// As it holds; secrets are masked.
    package var value: String
    /// Where it is written; nil: it is the default.
    package var line: Int?

    package static func all(of configuration: LoadedConfiguration) -> [SettingView] {
        configuration.origins.map(SettingView.init)
    }

    init(_ row: ConfigurationRow) {
        path = row.path
        value = row.value
        switch row.origin {
        case .file(let line): self.line = line
        case .default: line = nil
        }
    }
}
