// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// What we use of Security, from Apple's documentation and the headers SecTrust.h, SecKey.h, SecImportExport.h and
// SecProtocolTypes.h.
//
// Core Foundation is bridged there by the compiler; here its types are Swift's own, so that `as` has the same form. A cast that
// the compiler refuses there, such as `as?` to a type of Core Foundation, is not found.
public import Foundation

public typealias CFData = Data
public typealias CFString = String
public typealias CFArray = [Any]
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias OSStatus = Int32

public class CFAllocator {}
public struct CFError: Error {}

public func CFErrorGetCode(_ err: CFError!) -> Int { 0 }
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { 0 }

public let errSecSuccess: OSStatus = 0

public class SecCertificate {}
public class SecKey {}
public class SecIdentity {}
public class SecTrust {}

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { nil }
public func SecIdentityGetTypeID() -> CFTypeID { 0 }

public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { nil }
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<AnyObject>?>?
) -> CFData? { nil }
public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = ""

public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus { 0 }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }

public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus { 0 }
public let kSecImportExportPassphrase: CFString = ""
public let kSecImportToMemoryOnly: CFString = ""
public let kSecImportItemIdentity: CFString = ""
public let kSecImportItemCertChain: CFString = ""

public let errSecItemNotFound: OSStatus = -25300
public let errSecDuplicateItem: OSStatus = -25299

// SecItem.h
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrAccessGroup: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlock: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
public let kSecUseDataProtectionKeychain: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecMatchLimit: CFString = ""
public let kSecMatchLimitOne: CFString = ""
public let kSecValueData: CFString = ""
