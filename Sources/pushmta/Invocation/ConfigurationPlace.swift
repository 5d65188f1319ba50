internal import Glibc

/// Where the configuration is, unless `--config` names it.
package enum ConfigurationPlace {
    static let variable = "PUSHMTA_CONFIG"
    /// In the working directory: a folder with an instance of its own.
    static let here = "serverConf.xml"
    /// Where a package puts it.
    static let installed = "/etc/pushmta/serverConf.xml"

    /// Where there is no file at all, the one that errors should speak of.
    package static func path(variable: String?, exists: (String) -> Bool) -> String {
        if let variable, !variable.isEmpty { return variable }
        return exists(here) || !exists(installed) ? here : installed
    }

    static func path() -> String {
        path(
            variable: unsafe getenv(variable).map { unsafe String(cString: $0) },
            exists: { unsafe access($0, F_OK) == 0 })
    }
}
