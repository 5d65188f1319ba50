internal import PushConfig

/// Every setting with its effective value and where that comes from; secrets are masked.
package struct ShowConfiguration: ShortOperation {
    package static let name = "config.show"

    package init() {}

    package func perform(in operations: Operations) throws -> [SettingView] {
        SettingView.all(of: operations.configuration)
    }
}
