/// What `pushmta --version` and `$(PRODUCT_VERSION)` say.
enum ProductVersion {
    static let text = "0.1.0"
}
