/// serverConf.xml → checked settings.
///
/// **Promises.** Any bytes give either settings or a ``ConfigurationError`` whose findings say line and column; all that is wrong is
/// said at once. Nothing outside the given bytes is read: no entities, no includes, no environment.
/// **Neighbours.** ``ConfigurationKey`` (which keys there are), `CampaignElement` (which are known and not used).
package enum ConfigurationFile {
    /// Larger is refused: a Campaign file with all its comments has 60 kB.
    package static let maximumBytes = 4 << 20

    /// Checks the contents of a file. Touches no file itself.
    ///
    /// - Parameters:
    ///   - path: Where the bytes come from: stands in findings, and its folder is `$(XTK_INSTALL_DIR)` and the start of relative paths.
    ///     Where it is itself relative, so are the settings' paths.
    ///   - instanceName: What `$(INSTANCE_NAME)` stands for.
    ///   - productVersion: What `$(PRODUCT_VERSION)` stands for.
    package static func parse(
        _ bytes: [UInt8], path: String, instanceName: String = "default", productVersion: String = "1"
    ) throws(ConfigurationError) -> LoadedConfiguration {
        fatalError("soon")
    }

    /// Reads and checks a file. A relative path is taken from the working directory, and the settings' paths are absolute.
    package static func load(
        path: String, instanceName: String = "default", productVersion: String = "1"
    ) throws(ConfigurationError) -> LoadedConfiguration {
        fatalError("soon")
    }
}
